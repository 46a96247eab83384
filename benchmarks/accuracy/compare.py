"""Comparison of findings with recorded breaks, for each entry point.

A break is *found* if a finding covers its statement.  A finding is *right* if its statement ran and broke, and *wrong*
if it ran and nothing broke in the whole function.  A finding is not judged if its line did not run, if there was
another break in the function, or if its line depends on the mode and only eval mode was recorded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.accuracy.records import Entry, Truth
from benchmarks.accuracy.source import Source
from benchmarks.counts import Counts

Place = tuple[str, int]
SURE = ("certain", "likely")
"""The confidences that gblint shows by default; only findings with these count."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The parts of a finding that are compared."""

    file: str
    line: int
    end: int
    code: str
    confidence: str
    gb_ids: tuple[str, ...]

    @property
    def lines(self) -> range:
        """All the lines that it covers."""
        return range(self.line, self.end + 1)


@dataclass(frozen=True, slots=True)
class Site:
    """A primary break of one entry point and the claims that cover it."""

    entry: str
    place: Place
    gb_ids: frozenset[str]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a claim by the run of one entry point."""

    entry: str
    claim: Claim
    right: bool


@dataclass
class Comparison(Counts):
    """All sites and all verdicts of some records."""

    entries: int = 0
    clean: set[str] = field(default_factory=set)
    sites: list[Site] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    seconds: float = 0.0


def claims_by_entry(findings: Iterable[dict[str, Any]], site_packages: Path) -> dict[str, list[Claim]]:
    """Return the graph breaks of a JSON report that lie in ``site_packages``, by entry point."""
    root = site_packages.resolve()
    claims: dict[str, list[Claim]] = defaultdict(list)
    for item in findings:
        path = Path(item["path"]).resolve()
        if item.get("category") != "graph-break" or not path.is_relative_to(root):
            continue
        claim = Claim(
            path.relative_to(root).as_posix(),
            item["line"],
            item.get("end_line") or item["line"],
            item["code"],
            item["confidence"],
            tuple(item["gb_ids"]),
        )
        for entry in item["entries"]:
            claims[entry].append(claim)
    return claims


def compare(truth: Truth, claims: dict[str, list[Claim]], site_packages: Path) -> Comparison:
    """Compare the findings with the records."""
    source = cache(lambda file: Source(site_packages / file))
    outcome = Comparison(len(truth.entries), {entry.name for entry in truth.entries.values() if not entry.breaks})
    for entry in truth.entries.values():
        made = claims.get(entry.name, [])
        outcome.sites += _sites(entry, made, truth.packages, source)
        outcome.verdicts += _verdicts(entry, made, source)
    return outcome


def _sites(
    entry: Entry, claims: list[Claim], packages: tuple[str, ...], source: Callable[[str], Source]
) -> Iterable[Site]:
    for (file, line), broken in entry.breaks.items():
        if not broken.primary or file.split("/")[0] not in packages or not source(file).exists:
            continue
        first, last = source(file).statement(line)
        covering = (claim for claim in claims if claim.file == file and claim.line <= last and claim.end >= first)
        yield Site(entry.name, (file, line), frozenset(broken.gb_ids), tuple(covering))


def _verdicts(entry: Entry, claims: list[Claim], source: Callable[[str], Source]) -> Iterable[Verdict]:
    statements = {(file, source(file).statement(line)[0]) for file, line in entry.breaks}
    functions = {(file, source(file).function(line)) for file, line in entry.breaks}
    for claim in claims:
        file = source(claim.file)
        if entry.lines.get(claim.file, set()).isdisjoint(claim.lines):
            continue
        if (claim.file, file.statement(claim.line)[0]) in statements:
            yield Verdict(entry.name, claim, True)
        elif "train" not in entry.modes and file.mentions_training(claim.line):
            continue
        elif (claim.file, file.function(claim.line)) not in functions:
            yield Verdict(entry.name, claim, False)
