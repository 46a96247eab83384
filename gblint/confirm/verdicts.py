"""Findings held against what the runs showed: confirmed, refuted, masked, not reached; and what was missed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from gblint.confirm import recompile_hints
from gblint.confirm.jobs import Job, ObservedBreak, Result, SkippedFrame, from_ranges
from gblint.confirm.line_coverage import PathSet
from gblint.confirm.statements import FunctionLines, SourceFiles
from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.finding import Confirmation, Finding, Severity, Verdict
from gblint.diagnostics.span import ChainLink, Span
from gblint.knowledge.pasted_errors import PastedPlace
from gblint.project.source_text import Source
from gblint.report.explain_lookup import IdAnswer, id_answer, registry
from gblint.report.markup import plain

TESTED_CATEGORIES = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)
# Of what several runs say, the first of these holds: what broke once breaks, what ran compiled does not break always.
_ORDER: tuple[Verdict, ...] = ("confirmed", "refuted", "masked", "not-reached")
MAX_CODE_CHARACTERS = 60


@dataclass(slots=True)
class Verdicts:
    """``findings`` are those that the runs say something of, each with its confirmation; ``missed`` are the breaks that
    no finding foretold.  ``hints`` are the recompile hints, which count for nothing else here.  ``elsewhere`` counts
    the breaks in files that are not looked at, such as a library's."""

    findings: list[Finding] = field(default_factory=list)
    hints: list[Finding] = field(default_factory=list)
    missed: list[Finding] = field(default_factory=list)
    elsewhere: int = 0

    def count(self, verdict: Verdict) -> int:
        """How many findings have this verdict."""
        return sum(each.confirmation is not None and each.confirmation.verdict == verdict for each in self.findings)

    @property
    def recall(self) -> float | None:
        """Of the lines that broke, the share that was foretold; None if none broke."""
        told = {(each.span.path, each.span.line) for each in self.findings if _says(each, "confirmed")}
        total = len(told) + len(self.missed)
        return len(told) / total if total else None

    @property
    def precision(self) -> float | None:
        """Of the findings that were put to the test, the share that held; None if none was."""
        held, total = self.count("confirmed"), self.count("confirmed") + self.count("refuted")
        return held / total if total else None


def _says(finding: Finding, verdict: Verdict) -> bool:
    return finding.confirmation is not None and finding.confirmation.verdict == verdict


def judge(
    shown: Sequence[Finding],
    less_certain: Sequence[Finding],
    silenced: Sequence[Finding],
    runs: Iterable[tuple[Job, Result]],
    watched: Iterable[str],
    source: Source,
) -> Verdicts:
    """The verdict on each of ``shown``; one of ``less_certain`` is taken up where a run confirms it, and what one of
    ``silenced`` foretells was not missed.

    A run of an entry point speaks of the findings that the entry point reaches, any other run of all of them.
    ``watched`` are the files that are the user's own, or followed.
    """
    files = SourceFiles(source)
    own = PathSet(watched)
    sights = [_Sight(job, result, own, files) for job, result in runs]
    verdicts = Verdicts()
    known = [finding for finding in shown if finding.category in TESTED_CATEGORIES]
    more = [finding for finding in less_certain if finding.category in TESTED_CATEGORIES]
    for sight in sights:
        sight.assign([*known, *more, *silenced])
    for finding in known:
        said = [sight.verdict(finding) for sight in sights if sight.concerns(finding)]
        best = min(said, key=lambda each: _ORDER.index(each.verdict), default=None)
        verdicts.findings.append(replace(finding, confirmation=best))
    for finding in more:
        said = [sight.verdict(finding) for sight in sights if sight.concerns(finding)]
        best = next((each for each in said if each.verdict == "confirmed"), None)
        if best is not None:
            verdicts.findings.append(replace(finding, confirmation=best))
    for finding in (each for each in shown if each.category is Category.RECOMPILE):
        said = [verdict for sight in sights if sight.concerns(finding) and (verdict := sight.hint(finding))]
        best = min(said, key=lambda each: _ORDER.index(each.verdict), default=None)
        verdicts.hints.append(replace(finding, confirmation=best))
    _add_missed(verdicts, sights)
    return verdicts


def _add_missed(verdicts: Verdicts, sights: Sequence[_Sight]) -> None:
    missed: dict[object, Finding] = {}
    foretold = {key for sight in sights for key in sight.foretold}
    for sight in sights:
        for found in sight.breaks:
            place = sight.place(found)
            if place is None:
                verdicts.elsewhere += 1
                continue
            key = sight.statement(place)
            if found.primary and key not in foretold:
                finding = sight.missed(found, place)
                known = missed.get((key, found.gb_ids))
                if known is not None:
                    finding = replace(known, entries=tuple(dict.fromkeys((*known.entries, *finding.entries))))
                missed[key, found.gb_ids] = finding
    verdicts.missed = sorted(missed.values(), key=lambda each: (each.span.path, each.span.line))


class _Sight:
    """What one run shows."""

    def __init__(self, job: Job, result: Result, own: PathSet, files: SourceFiles) -> None:
        self.job, self.result, self.files, self.own = job, result, files, own
        self.breaks = result.breaks
        self.compiled = {self.path(path): from_ranges(spans) for path, spans in result.compiled.items()}
        self.ran = {self.path(path): from_ranges(spans) for path, spans in result.ran.items()}
        # The places that a finding foretold, and the break that confirms each finding.
        self.foretold: set[tuple[str, int]] = set()
        self._confirmed: dict[int, ObservedBreak] = {}

    def path(self, path: str) -> str:
        """A path of the result's, in full."""
        return os.path.realpath(os.path.join(self.job.root, path))

    def place(self, found: ObservedBreak) -> ChainLink | None:
        """The innermost place of a break in the files that are looked at."""
        for link in reversed(found.stack):
            path = self.path(link.path)
            if path in self.own:
                return replace(link, path=path)
        return None

    def statement(self, place: ChainLink) -> tuple[str, int]:
        """The statement that a place is in."""
        return place.path, self.files[place.path].statement(place.line).line

    def concerns(self, finding: Finding) -> bool:
        """Whether the run has something to say of a finding: one that failed before anything ran has not."""
        if self.result.status != "ok" and not (self.ran or self.breaks):
            return False
        return self.job.target.kind != "entry" or not finding.entries or self.job.target.name in finding.entries

    def lines(self, finding: Finding) -> tuple[str, range]:
        """The lines of the expression that a finding is about, with the statement that it begins in."""
        span = finding.span
        path = os.path.realpath(span.path)
        head = self.files[path].statement(span.line)
        return path, range(min(span.line, head.line), max(span.line, span.end_line, head.end_line) + 1)

    def assign(self, findings: Sequence[Finding]) -> None:
        """Find the break that confirms each finding: one with its id, or, where it has none such, any."""
        by_place: dict[tuple[str, int], list[ObservedBreak]] = {}
        for found in self.breaks:
            place = self.place(found)
            if place is not None and found.primary:
                by_place.setdefault((place.path, place.line), []).append(found)
        loose: list[tuple[Finding, list[ObservedBreak]]] = []
        taken: set[int] = set()
        for finding in filter(self.concerns, findings):
            path, lines = self.lines(finding)
            there = [found for line in lines for found in by_place.get((path, line), ())]
            self.foretold.update(self.statement(place) for found in there if (place := self.place(found)) is not None)
            exact = [found for found in there if set(found.gb_ids) & set(finding.gb_ids)]
            if exact:
                self._confirmed[id(finding)] = exact[0]
                taken.update(map(id, exact))
            elif there:
                loose.append((finding, there))
        for finding, there in loose:
            free = [found for found in there if id(found) not in taken]
            if free:
                self._confirmed[id(finding)] = free[0]

    def verdict(self, finding: Finding) -> Confirmation:
        """What the run says of a finding."""
        found = self._confirmed.get(id(finding))
        if found is not None:
            other = set(found.gb_ids).isdisjoint(finding.gb_ids) and finding.gb_ids and found.gb_ids
            reason = f"Dynamo gives {', '.join(found.gb_ids)}" if other else ""
            return self._said("confirmed", reason, found=found)
        path, lines = self.lines(finding)
        there = [each for each in self.breaks if (place := self.place(each)) and place.path == path]
        same = [each for each in there if self.place(each).line in lines and each.outcome != "resumes"]  # type: ignore[union-attr]
        if same:
            return self._masked(same[0])
        if self.compiled.get(path, set()).intersection(lines):
            return self._said("refuted", "the line ran compiled and broke nothing")
        if not self.ran.get(path, set()).intersection(lines):
            return self._said("not-reached", self._unfinished() or "the line did not run")
        return self._uncompiled(path, finding.span.line)

    def hint(self, finding: Finding) -> Confirmation | None:
        """What the run says of a recompile hint; nothing if what it names was compiled again for another reason, since
        Dynamo gives only the first guard that failed."""
        several = recompile_hints.of_entry_points(finding, self.result.recompiles)
        foretold = recompile_hints.predicted_recompile(finding, several)
        if foretold is not None:
            guard = recompile_hints.failed_guard(foretold)
            count = sum(recompile_hints.failed_guard(each) == guard for each in several)
            return replace(self._said("confirmed"), message=f"compiled again, for it guards on `{guard}`", count=count)
        path, lines = self.lines(finding)
        ran = self.ran.get(path, set()) | self.compiled.get(path, set())
        if not ran.intersection(lines):
            return self._said("not-reached", self._unfinished() or "the line did not run")
        if several:
            return None
        said = self._uncompiled(path, finding.span.line)
        return said if said.verdict == "masked" else self._said("refuted", "nothing was compiled again")

    def _uncompiled(self, path: str, line: int) -> Confirmation:
        """The line ran, but not in compiled code."""
        function = self.files[path].function(line)
        lost = [each for each in self.breaks if each.outcome in ("rest-eager", "frame-eager")]
        for found in lost:
            if self._within(found.frame, path, function):
                return self._masked(found)
        for found in self.breaks:
            if any(self._within(link, path, function) for link in found.stack):
                return self._masked(found)
        raised = next((found for found in self.breaks if found.outcome == "raises"), None)
        if raised is not None:
            return self._masked(raised)
        skipped: SkippedFrame | None = next(
            (each for each in self.result.skipped if self._within(each.frame, path, function)), None
        )
        why = f": {skipped.reason[:1].lower()}{skipped.reason[1:]}" if skipped is not None else ""
        return self._said("not-reached", f"the line ran only outside of compiled code{why}")

    def _within(self, link: ChainLink, path: str, function: FunctionLines) -> bool:
        return self.path(link.path) == path and link.function == function.name and function.holds(link.line)

    def _masked(self, found: ObservedBreak) -> Confirmation:
        place = self.place(found) or replace(found.place, path=self.path(found.place.path))
        ids = f" ({', '.join(found.gb_ids)})" if found.gb_ids else ""
        what = {
            "resumes": f"{found.frame.function} is not compiled on from there",
            "rest-eager": f"the rest of {found.frame.function} runs eagerly",
            "frame-eager": f"{found.frame.function} runs eagerly",
            "raises": "the compilation ends there with an error",
        }[found.outcome]
        return replace(self._said("masked", f"{found.title}{ids}: {what}"), by=place)

    def _unfinished(self) -> str:
        return "" if self.result.status == "ok" else f"the run ended early: {self.result.reason}"

    def _said(self, verdict: Verdict, reason: str = "", found: ObservedBreak | None = None) -> Confirmation:
        platform = self.result.platform
        return Confirmation(
            verdict,
            platform.device or "CPU",
            platform.torch,
            gb_ids=found.gb_ids if found else (),
            message=found.title if found else "",
            reason=reason,
            count=self._reports(found) if found else 0,
        )

    def _reports(self, found: ObservedBreak) -> int:
        """How often Dynamo reported a break at this place with these ids."""
        key = found.place, found.gb_ids
        return sum(each.count for each in self.breaks if (each.place, each.gb_ids) == key)

    def missed(self, found: ObservedBreak, place: ChainLink) -> Finding:
        """A break that was not foretold, with Dynamo's explanation."""
        head = self.files[place.path].statement(place.line)
        lines = self.files.source.lines(place.path)
        text = lines[place.line - 1].strip() if place.line <= len(lines) else ""
        shown = text if len(text) <= MAX_CODE_CHARACTERS else f"{text[: MAX_CODE_CHARACTERS - 3]}..."
        answer = next(filter(None, (_answer(gb_id, place, text, found.message) for gb_id in found.gb_ids)), None)
        rule = answer.rules[0] if answer and answer.rules else None
        advice = [plain(each).lstrip("-* ") for each in answer.advice] if answer else []
        entry = self.job.target.name if self.job.target.kind == "entry" else ""
        inside = f" inside `{found.place.function}`" if self.path(found.place.path) != place.path else ""
        return Finding(
            code=rule.code if rule else next(iter(found.gb_ids), "graph-break"),
            rule=rule.name if rule else "",
            category=Category.GRAPH_BREAK,
            severity=Severity.ERROR if found.outcome == "raises" else Severity.WARNING,
            confidence=Confidence.CERTAIN,
            span=replace(head, path=place.path) if head.line == place.line else Span(place.path, place.line),
            message=f"`{shown}`{inside}: {found.title.rstrip('.')}, not predicted",
            help=next(iter(advice), "") or _explanation(found.message),
            gb_ids=found.gb_ids,
            entries=(entry,) if entry else (),
            chain=tuple(replace(link, path=self.path(link.path)) for link in found.stack),
            confirmation=self._said("missed", _explanation(found.message), found=found),
        )


def _explanation(message: str) -> str:
    """The sentence of a message of Dynamo's that explains."""
    for line in message.splitlines():
        head, marker, text = line.strip().partition("Explanation:")
        if marker and not head:
            return text.strip()
    return ""


@lru_cache(maxsize=1024)
def _answer(gb_id: str, place: ChainLink, code: str, message: str) -> IdAnswer | None:
    if gb_id not in registry():
        return None
    return id_answer(gb_id, PastedPlace(place.path, place.line, place.function, code), message)
