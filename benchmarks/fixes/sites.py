"""Break sites: the statements that broke, and the outcome of fixing each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.accuracy.records import Entry
from benchmarks.accuracy.source import Source
from gblint.confirm.jobs import Result
from gblint.diagnostics.finding import Finding
from gblint.fix.fixed_point import FixResult
from gblint.fix.verify import VerifiedFixes

# The pattern of a site by the ids of its breaks; the first match counts.
PATTERNS: tuple[tuple[str, frozenset[str]], ...] = (
    ("branch on a tensor", frozenset({"GB0170"})),
    ("number read from a tensor", frozenset({"GB0124", "GB0033"})),
    ("shape that depends on values", frozenset({"GB0036"})),
    ("print and logging", frozenset({"GB0059", "GB0291", "GB0290"})),
    ("numpy", frozenset({"GB0294", "GB0293", "GB0295"})),
    ("requires_grad and other attributes", frozenset({"GB0206", "GB0205"})),
    ("function that is skipped", frozenset({"GB0007", "GB0008"})),
    ("context managers", frozenset({"GB0142"})),
    ("hooks", frozenset({"GB0013", "GB0467"})),
)
OTHER = "other"


@dataclass(slots=True)
class Site:
    """A statement that broke, its ids, and the outcome at each entry point."""

    file: str
    line: int
    gb_ids: set[str] = field(default_factory=set)
    text: str = ""
    outcomes: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def pattern(self) -> str:
        """The pattern under which the site is counted."""
        return next((name for name, ids in PATTERNS if ids & self.gb_ids), OTHER)

    @property
    def outcome(self) -> str:
        """The worst outcome among the entry points that broke there."""
        return self.of("")

    def of(self, name: str) -> str:
        """Return the worst outcome among the calls of one entry point."""
        outcomes = [what for label, (what, _) in self.outcomes.items() if not name or _is_of(label, name)]
        if not outcomes:
            return ""
        informative = [each for each in outcomes if each not in ("not run", "not broken here")]
        order = ("wrong", "still breaks", "not shown", "not proposed", "not found", "proposed", "removed")
        return next((each for each in order if each in informative), outcomes[0])

    def merge(self, known: Mapping[str, Mapping[str, str]], names: Iterable[str]) -> None:
        """Take over the outcomes that an earlier run recorded for these entry points."""
        for name in names:
            reasons = {label: (each["outcome"], each["why"]) for label, each in known.items() if _is_of(label, name)}
            if reasons:
                self.outcomes.pop(name, None)
                self.outcomes.update(reasons)

    def as_json(self) -> Mapping[str, object]:
        """Return all data as JSON."""
        return {
            "file": self.file,
            "line": self.line,
            "gb_ids": sorted(self.gb_ids),
            "pattern": self.pattern,
            "outcome": self.outcome,
            "entries": {name: {"outcome": what, "why": why} for name, (what, why) in self.outcomes.items()},
        }


def _is_of(label: str, name: str) -> bool:
    """Return whether a label is this entry point, or one of several calls of it."""
    return label == name or label.startswith(f"{name} (")


def sites_of(entries: Iterable[Entry], folder: Path) -> dict[tuple[str, int], Site]:
    """Return the primary break sites of some entry points by statement; ``folder`` contains the packages."""
    sources: dict[str, Source] = {}
    sites: dict[tuple[str, int], Site] = {}
    for entry in entries:
        for (file, line), found in entry.breaks.items():
            if not found.primary:
                continue
            source = sources.setdefault(file, Source(folder / file))
            head = source.statement(line)[0]
            site = sites.setdefault((file, head), Site(file, head, text=source.text(line)))
            site.gb_ids |= found.gb_ids
            site.outcomes.setdefault(entry.name, ("not run", ""))
    return sites


def settle(
    sites: Iterable[Site],
    name: str,
    label: str,
    verified_fixes: VerifiedFixes,
    root: Path,
    fixable: Mapping[str, Source],
) -> None:
    """Record for each site the outcome at one entry point.

    ``label`` is the name of the entry point, with the number of the call if there are several.
    """
    runs = next((each for each in verified_fixes.entries if each.name == name), None)
    before = {} if runs is None else _broken(runs.before, root, fixable)
    after = set() if runs is None or runs.after is None else _after(runs.after, verified_fixes.fixed, root, fixable)
    for site in sites:
        if label != name:
            site.outcomes.pop(name, None)
        place = (site.file, site.line)
        site.outcomes[label] = _outcome(
            place, verified_fixes, before, after, root, fixable, runs.before if runs else None
        )


def _outcome(
    place: tuple[str, int],
    verified_fixes: VerifiedFixes,
    before: Mapping[tuple[str, int], str],
    after: set[tuple[str, int]],
    root: Path,
    sources: Mapping[str, Source],
    run: Result | None,
) -> tuple[str, str]:
    """Return the outcome at one place, and its reason."""
    verdicts = [
        (applied.key.title, verdict)
        for key, (applied, verdict) in verified_fixes.verdicts.items()
        if _at(key.path, key.line, root, sources) == place
    ]
    if run is None and verdicts:
        return "proposed", "; ".join(title for title, _ in verdicts)
    holding = [title for title, verdict in verdicts if verdict.kind == "holds"]
    if holding and place not in after:
        return "removed", holding[0]
    if run is None:
        found = _found(verified_fixes, place, root, sources)
        return ("not proposed", found) if found else ("not found", "")
    if run.status != "ok":
        return "not run", run.reason
    reasons = "; ".join(f"{title}: {each.kind}, {each.reason}" for title, each in verdicts)
    if place not in before and not any(v.kind in ("differs", "breaks", "new-break", "masked") for _, v in verdicts):
        return "not broken here", reasons
    # If compiled code raises, there is no result that could be wrong.
    if any(each.kind == "differs" and not each.reason.startswith("it raises ") for _, each in verdicts):
        return "wrong", reasons
    if verdicts:
        return ("not shown" if all(each.kind == "masked" for _, each in verdicts) else "still breaks"), reasons
    found = _found(verified_fixes, place, root, sources)
    if place in before and place not in after and verified_fixes.fixed.applied:
        return "removed", "with another site"
    return ("not proposed", f"{found} [{before.get(place, '')}]") if found else ("not found", before.get(place, ""))


def _found(verified_fixes: VerifiedFixes, place: tuple[str, int], root: Path, sources: Mapping[str, Source]) -> str:
    """Return the findings at a place as text."""
    first = verified_fixes.fixed.first
    findings: list[Finding] = [] if first is None else first.report.findings
    here = [f for f in findings if _at(f.span.path, f.span.line, root, sources) == place]
    return "; ".join(f"{each.code} {each.message}" for each in here)


def _at(path: str, line: int, root: Path, sources: Mapping[str, Source]) -> tuple[str, int]:
    """Return the statement of a line as file and first line."""
    file = os.path.relpath(os.path.join(root, path), root)
    return file, sources[file].statement(line)[0] if file in sources else line


def _broken(result: Result, root: Path, sources: Mapping[str, Source]) -> dict[tuple[str, int], str]:
    """Return the statements that break in a run, with title and ids."""
    found = {}
    for each in result.breaks:
        if each.primary:
            for link in reversed(each.stack):
                file = os.path.relpath(os.path.join(root, link.path), root)
                if file in sources:
                    found[_at(file, link.line, root, sources)] = f"{each.title} {', '.join(each.gb_ids)}"
                    break
    return found


def _after(result: Result, fixed: FixResult, root: Path, sources: Mapping[str, Source]) -> set[tuple[str, int]]:
    """Return the statements of the original files that still break."""
    line_maps = {
        os.path.relpath(os.path.join(root, path), root): fixed.line_maps[path]
        for path in fixed.texts
        if path in fixed.line_maps
    }
    found = set()
    for each in result.breaks:
        if each.primary:
            for link in reversed(each.stack):
                file = os.path.relpath(os.path.join(root, link.path), root)
                if file in sources:
                    line = line_maps[file].before(link.line) if file in line_maps else link.line
                    found.add(_at(file, line, root, sources))
                    break
    return found
