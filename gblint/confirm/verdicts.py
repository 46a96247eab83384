"""Verdicts: findings compared with runs (confirmed, refuted, masked, not reached), and unpredicted breaks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from gblint.confirm import recompile_hints
from gblint.confirm.jobs import Job, ObservedBreak, Result, SkippedFrame
from gblint.confirm.line_coverage import PathSet
from gblint.confirm.line_ranges import from_ranges
from gblint.confirm.statements import FunctionLines, SourceFiles
from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.finding import Confirmation, Finding, Severity, Verdict
from gblint.diagnostics.span import ChainLink, Span
from gblint.knowledge.pasted_errors import PastedPlace
from gblint.project.source_text import Source
from gblint.report.explain_answers import IdAnswer
from gblint.report.explain_lookup import id_answer, registry
from gblint.report.markup import plain

TESTED_CATEGORIES = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)
# With several runs the first of these wins: a line that broke once breaks; a line that ran compiled does not always
# break.
_VERDICT_ORDER: tuple[Verdict, ...] = ("confirmed", "refuted", "masked", "not-reached")
MAX_CODE_CHARACTERS = 60


@dataclass(slots=True)
class Verdicts:
    """Verdicts on the findings of a check.

    - ``findings``: findings with a verdict as their ``confirmation``.
    - ``hints``: recompile hints with a verdict; they count neither for recall nor for precision.
    - ``missed``: graph breaks that no finding predicted, as findings.
    - ``elsewhere``: number of breaks in files that are not checked, such as libraries.
    """

    findings: list[Finding] = field(default_factory=list)
    hints: list[Finding] = field(default_factory=list)
    missed: list[Finding] = field(default_factory=list)
    elsewhere: int = 0

    def count(self, verdict: Verdict) -> int:
        """Count the findings with this verdict."""
        return sum(each.confirmation is not None and each.confirmation.verdict == verdict for each in self.findings)

    @property
    def recall(self) -> float | None:
        """Share of the lines with a break that were predicted; None if no line broke."""
        confirmed_lines = {
            (each.span.path, each.span.line) for each in self.findings if _has_verdict(each, "confirmed")
        }
        total = len(confirmed_lines) + len(self.missed)
        return len(confirmed_lines) / total if total else None

    @property
    def precision(self) -> float | None:
        """Share of confirmed findings among the confirmed and refuted ones; None if there are none."""
        confirmed, total = self.count("confirmed"), self.count("confirmed") + self.count("refuted")
        return confirmed / total if total else None


def _has_verdict(finding: Finding, verdict: Verdict) -> bool:
    """Return whether the finding has this verdict."""
    return finding.confirmation is not None and finding.confirmation.verdict == verdict


def judge(
    shown: Sequence[Finding],
    less_certain: Sequence[Finding],
    suppressed: Sequence[Finding],
    runs: Iterable[tuple[Job, Result]],
    watched: Iterable[str],
    source: Source,
) -> Verdicts:
    """Return the verdicts of the runs on the findings.

    A finding of ``less_certain`` is reported only if a run confirms it. A break that a finding of ``suppressed``
    predicts is not counted as missed. A run of an entry point gives verdicts on the findings reached from that entry
    point, any other run on all findings. ``watched`` are the user's own files and the followed packages.
    """
    files = SourceFiles(source)
    followed_files = PathSet(watched)
    evidence = [_RunEvidence(job, result, followed_files, files) for job, result in runs]
    verdicts = Verdicts()
    known = [finding for finding in shown if finding.category in TESTED_CATEGORIES]
    uncertain = [finding for finding in less_certain if finding.category in TESTED_CATEGORIES]
    for run in evidence:
        run.assign([*known, *uncertain, *suppressed])
    for finding in known:
        confirmations = [run.verdict(finding) for run in evidence if run.concerns(finding)]
        best = min(confirmations, key=lambda each: _VERDICT_ORDER.index(each.verdict), default=None)
        verdicts.findings.append(replace(finding, confirmation=best))
    for finding in uncertain:
        confirmations = [run.verdict(finding) for run in evidence if run.concerns(finding)]
        best = next((each for each in confirmations if each.verdict == "confirmed"), None)
        if best is not None:
            verdicts.findings.append(replace(finding, confirmation=best))
    for finding in (each for each in shown if each.category is Category.RECOMPILE):
        confirmations = [verdict for run in evidence if run.concerns(finding) and (verdict := run.hint(finding))]
        best = min(confirmations, key=lambda each: _VERDICT_ORDER.index(each.verdict), default=None)
        verdicts.hints.append(replace(finding, confirmation=best))
    _add_missed(verdicts, evidence)
    return verdicts


def _add_missed(verdicts: Verdicts, evidence: Sequence[_RunEvidence]) -> None:
    """Add the breaks that no finding predicted."""
    missed: dict[object, Finding] = {}
    predicted = {key for run in evidence for key in run.predicted}
    for run in evidence:
        for found in run.breaks:
            place = run.place(found)
            if place is None:
                verdicts.elsewhere += 1
                continue
            key = run.statement(place)
            if found.primary and key not in predicted:
                finding = run.missed(found, place)
                known = missed.get((key, found.gb_ids))
                if known is not None:
                    finding = replace(known, entries=tuple(dict.fromkeys((*known.entries, *finding.entries))))
                missed[key, found.gb_ids] = finding
    verdicts.missed = sorted(missed.values(), key=lambda each: (each.span.path, each.span.line))


class _RunEvidence:
    """Evidence of one run: its breaks and the lines that ran, with and without compilation."""

    def __init__(self, job: Job, result: Result, followed_files: PathSet, files: SourceFiles) -> None:
        self.job, self.result, self.files, self.followed_files = job, result, files, followed_files
        self.breaks = result.breaks
        self.compiled = {self.path(path): from_ranges(spans) for path, spans in result.compiled.items()}
        self.ran = {self.path(path): from_ranges(spans) for path, spans in result.ran.items()}
        # The statements with a predicted break, and the break that confirms each finding (by the finding's identity).
        self.predicted: set[tuple[str, int]] = set()
        self._confirmed: dict[int, ObservedBreak] = {}

    def path(self, path: str) -> str:
        """Return a path of the result as an absolute real path."""
        return os.path.realpath(os.path.join(self.job.root, path))

    def place(self, found: ObservedBreak) -> ChainLink | None:
        """Return the innermost stack entry of a break that lies in a watched file, or None."""
        for link in reversed(found.stack):
            path = self.path(link.path)
            if path in self.followed_files:
                return replace(link, path=path)
        return None

    def statement(self, place: ChainLink) -> tuple[str, int]:
        """Return the path and first line of the statement at a place."""
        return place.path, self.files[place.path].statement(place.line).line

    def concerns(self, finding: Finding) -> bool:
        """Return whether the run can give a verdict on a finding; a run that failed before any line ran cannot."""
        if self.result.status != "ok" and not (self.ran or self.breaks):
            return False
        return self.job.target.kind != "entry" or not finding.entries or self.job.target.name in finding.entries

    def lines(self, finding: Finding) -> tuple[str, range]:
        """Return the path and lines of the finding's expression and of the statement in which it begins."""
        span = finding.span
        path = os.path.realpath(span.path)
        head = self.files[path].statement(span.line)
        return path, range(min(span.line, head.line), max(span.line, span.end_line, head.end_line) + 1)

    def assign(self, findings: Sequence[Finding]) -> None:
        """Find the break that confirms each finding: one at its lines with the same id, else any that no other finding
        took.
        """
        by_place: dict[tuple[str, int], list[ObservedBreak]] = {}
        for found in self.breaks:
            place = self.place(found)
            if place is not None and found.primary:
                by_place.setdefault((place.path, place.line), []).append(found)
        unmatched: list[tuple[Finding, list[ObservedBreak]]] = []
        taken: set[int] = set()
        for finding in filter(self.concerns, findings):
            path, lines = self.lines(finding)
            at_lines = [found for line in lines for found in by_place.get((path, line), ())]
            self.predicted.update(
                self.statement(place) for found in at_lines if (place := self.place(found)) is not None
            )
            exact = [found for found in at_lines if set(found.gb_ids) & set(finding.gb_ids)]
            if exact:
                self._confirmed[id(finding)] = exact[0]
                taken.update(map(id, exact))
            elif at_lines:
                unmatched.append((finding, at_lines))
        for finding, at_lines in unmatched:
            free = [found for found in at_lines if id(found) not in taken]
            if free:
                self._confirmed[id(finding)] = free[0]

    def verdict(self, finding: Finding) -> Confirmation:
        """Return the run's verdict on a finding."""
        found = self._confirmed.get(id(finding))
        if found is not None:
            other = set(found.gb_ids).isdisjoint(finding.gb_ids) and finding.gb_ids and found.gb_ids
            reason = f"Dynamo reports {', '.join(found.gb_ids)}" if other else ""
            return self._confirmation("confirmed", reason, found=found)
        path, lines = self.lines(finding)
        in_file = [each for each in self.breaks if (place := self.place(each)) and place.path == path]
        blocking = [each for each in in_file if self.place(each).line in lines and each.outcome != "resumes"]  # type: ignore[union-attr]
        if blocking:
            return self._masked(blocking[0])
        if self.compiled.get(path, set()).intersection(lines):
            return self._confirmation("refuted", "the line ran in compiled code and did not break the graph")
        if not self.ran.get(path, set()).intersection(lines):
            return self._confirmation("not-reached", self._unfinished() or "the line did not run")
        return self._uncompiled(path, finding.span.line)

    def hint(self, finding: Finding) -> Confirmation | None:
        """Return the run's verdict on a recompile hint.

        None if the function was recompiled because of another guard: Dynamo reports only the first guard that failed,
        so the predicted one may have failed too.
        """
        candidates = recompile_hints.of_entry_points(finding, self.result.recompiles)
        predicted = recompile_hints.predicted_recompile(finding, candidates)
        if predicted is not None:
            guard = recompile_hints.failed_guard(predicted)
            count = sum(recompile_hints.failed_guard(each) == guard for each in candidates)
            return replace(
                self._confirmation("confirmed"), message=f"compiled again, because it guards on `{guard}`", count=count
            )
        path, lines = self.lines(finding)
        ran = self.ran.get(path, set()) | self.compiled.get(path, set())
        if not ran.intersection(lines):
            return self._confirmation("not-reached", self._unfinished() or "the line did not run")
        if candidates:
            return None
        confirmation = self._uncompiled(path, finding.span.line)
        return (
            confirmation
            if confirmation.verdict == "masked"
            else self._confirmation("refuted", "nothing was compiled again")
        )

    def _uncompiled(self, path: str, line: int) -> Confirmation:
        """Return the verdict for a line that ran, but not in compiled code."""
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
        return self._confirmation("not-reached", f"the line ran only outside of compiled code{why}")

    def _within(self, link: ChainLink, path: str, function: FunctionLines) -> bool:
        """Return whether a stack entry lies in a function."""
        return self.path(link.path) == path and link.function == function.name and function.holds(link.line)

    def _masked(self, found: ObservedBreak) -> Confirmation:
        """Return the verdict "masked" by another break, with the consequence of that break."""
        place = self.place(found) or replace(found.place, path=self.path(found.place.path))
        ids = f" ({', '.join(found.gb_ids)})" if found.gb_ids else ""
        effect = {
            "resumes": f"{found.frame.function} does not resume after the break",
            "rest-eager": f"the rest of {found.frame.function} runs eagerly",
            "frame-eager": f"{found.frame.function} runs eagerly",
            "raises": "the compilation fails there with an error",
        }[found.outcome]
        return replace(self._confirmation("masked", f"{found.title}{ids}: {effect}"), by=place)

    def _unfinished(self) -> str:
        """Return a sentence about why the run ended early, or "" if it finished."""
        return "" if self.result.status == "ok" else f"the run ended early: {self.result.reason}"

    def _confirmation(self, verdict: Verdict, reason: str = "", found: ObservedBreak | None = None) -> Confirmation:
        """Make a confirmation on the run's platform."""
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
        """Return how often Dynamo reported a break at this place with these ids."""
        key = found.place, found.gb_ids
        return sum(each.count for each in self.breaks if (each.place, each.gb_ids) == key)

    def missed(self, found: ObservedBreak, place: ChainLink) -> Finding:
        """Make a finding of a break that was not predicted, with Dynamo's explanation."""
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
            confirmation=self._confirmation("missed", _explanation(found.message), found=found),
        )


def _explanation(message: str) -> str:
    """Return the text after "Explanation:" in a message of Dynamo."""
    for line in message.splitlines():
        head, marker, text = line.strip().partition("Explanation:")
        if marker and not head:
            return text.strip()
    return ""


@lru_cache(maxsize=1024)
def _answer(gb_id: str, place: ChainLink, code: str, message: str) -> IdAnswer | None:
    """Return the registry's entry for a graph-break id, or None for an unknown id."""
    if gb_id not in registry():
        return None
    return id_answer(gb_id, PastedPlace(place.path, place.line, place.function, code), message)
