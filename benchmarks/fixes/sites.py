"""The places that broke, and what became of each."""

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

# What a place is counted as, by the ids that Dynamo gives there: the first that fits.
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
    """A statement that broke, its ids, and what became of it at each entry point."""

    file: str
    line: int
    gb_ids: set[str] = field(default_factory=set)
    text: str = ""
    outcomes: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def pattern(self) -> str:
        """What it is counted as."""
        return next((name for name, ids in PATTERNS if ids & self.gb_ids), OTHER)

    @property
    def outcome(self) -> str:
        """What became of it: the worst of what any entry point shows, of those that broke there."""
        return self.of("")

    def of(self, name: str) -> str:
        """The same of the ways in which one entry point is called."""
        seen = [what for label, (what, _) in self.outcomes.items() if not name or _is_of(label, name)]
        if not seen:
            return ""
        telling = [each for each in seen if each not in ("not run", "not broken here")]
        order = ("wrong", "still breaks", "not shown", "not proposed", "not found", "proposed", "removed")
        return next((each for each in order if each in telling), seen[0])

    def take(self, known: Mapping[str, Mapping[str, str]], names: Iterable[str]) -> None:
        """What an earlier run showed of these entry points."""
        for name in names:
            told = {label: (each["outcome"], each["why"]) for label, each in known.items() if _is_of(label, name)}
            if told:
                self.outcomes.pop(name, None)
                self.outcomes.update(told)

    def as_json(self) -> Mapping[str, object]:
        """All that is known of it."""
        return {
            "file": self.file,
            "line": self.line,
            "gb_ids": sorted(self.gb_ids),
            "pattern": self.pattern,
            "outcome": self.outcome,
            "entries": {name: {"outcome": what, "why": why} for name, (what, why) in self.outcomes.items()},
        }


def _is_of(label: str, name: str) -> bool:
    """Whether it is an entry point of this name, or one of several ways to call it."""
    return label == name or label.startswith(f"{name} (")


def sites_of(entries: Iterable[Entry], folder: Path) -> dict[tuple[str, int], Site]:
    """The primary sites of some entry points, one for each statement; ``folder`` has the packages."""
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
    sites: Iterable[Site], name: str, label: str, tried: VerifiedFixes, root: Path, fixable: Mapping[str, Source]
) -> None:
    """Note for each site what one entry point shows; ``label`` is its name, and the way in which it was called if there
    are several."""
    runs = next((each for each in tried.entries if each.name == name), None)
    before = {} if runs is None else _broken(runs.before, root, fixable)
    after = set() if runs is None or runs.after is None else _after(runs.after, tried.fixed, root, fixable)
    for site in sites:
        if label != name:
            site.outcomes.pop(name, None)
        place = (site.file, site.line)
        site.outcomes[label] = _outcome(place, tried, before, after, root, fixable, runs.before if runs else None)


def _outcome(
    place: tuple[str, int],
    tried: VerifiedFixes,
    before: Mapping[tuple[str, int], str],
    after: set[tuple[str, int]],
    root: Path,
    sources: Mapping[str, Source],
    run: Result | None,
) -> tuple[str, str]:
    verdicts = [
        (applied.key.title, verified)
        for key, (applied, verified) in tried.verdicts.items()
        if _at(key.path, key.line, root, sources) == place
    ]
    if run is None and verdicts:
        return "proposed", "; ".join(title for title, _ in verdicts)
    held = [title for title, verified in verdicts if verified.verdict == "holds"]
    if held and place not in after:
        return "removed", held[0]
    if run is None:
        found = _found(tried, place, root, sources)
        return ("not proposed", found) if found else ("not found", "")
    if run.status != "ok":
        return "not run", run.reason
    told = "; ".join(f"{title}: {each.verdict}, {each.reason}" for title, each in verdicts)
    if place not in before and not any(v.verdict in ("differs", "breaks", "new-break", "masked") for _, v in verdicts):
        return "not broken here", told
    # Compiled code that is refused altogether comes to no result.
    if any(each.verdict == "differs" and not each.reason.startswith("it raises ") for _, each in verdicts):
        return "wrong", told
    if verdicts:
        return ("not shown" if all(each.verdict == "masked" for _, each in verdicts) else "still breaks"), told
    found = _found(tried, place, root, sources)
    if place in before and place not in after and tried.fixed.applied:
        return "removed", "with another site"
    return ("not proposed", f"{found} [{before.get(place, '')}]") if found else ("not found", before.get(place, ""))


def _found(tried: VerifiedFixes, place: tuple[str, int], root: Path, sources: Mapping[str, Source]) -> str:
    """The finding at a place, in words."""
    first = tried.fixed.first
    findings: list[Finding] = [] if first is None else first.report.findings
    here = [f for f in findings if _at(f.span.path, f.span.line, root, sources) == place]
    return "; ".join(f"{each.code} {each.message}" for each in here)


def _at(path: str, line: int, root: Path, sources: Mapping[str, Source]) -> tuple[str, int]:
    file = os.path.relpath(os.path.join(root, path), root)
    return file, sources[file].statement(line)[0] if file in sources else line


def _broken(result: Result, root: Path, sources: Mapping[str, Source]) -> dict[tuple[str, int], str]:
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
    """The statements of the unfixed files that break still."""
    origins = {
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
                    line = origins[file].before(link.line) if file in origins else link.line
                    found.add(_at(file, line, root, sources))
                    break
    return found
