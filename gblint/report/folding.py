"""The findings of one line as one entry.

A call of a library may reach dozens of breaks there.  All of them are at the same line of the user's code, and one
change of that line settles them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.reach import Reach, rank
from gblint.diagnostics.span import ChainLink
from gblint.runtime.lazy_dataclasses import dataclass

BREAKS: Final = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)
_WORST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.INFO)


@dataclass(frozen=True, slots=True)
class FoldedFinding:
    """The finding of a line that matters most, and the others of that line in the order of the report."""

    finding: Finding
    others: tuple[Finding, ...] = ()

    @property
    def costliest(self) -> Finding:
        """The costliest finding of the line among those that are reached most easily."""
        reach = self.reach
        return max((each for each in (self.finding, *self.others) if each.reach == reach), key=lambda f: f.cost)

    @property
    def cost(self) -> int:
        """The cost of the breaks after which Dynamo resumes, together; else that of the costliest finding."""
        return sum(each.cost for each in self.splits) or self.costliest.cost

    @property
    def splits(self) -> list[Finding]:
        """The breaks that are reached as easily as the costliest one, if Dynamo resumes after all that it breaks."""
        reach = self.reach
        found = [each for each in (self.finding, *self.others) if each.reach == reach and each.category in BREAKS]
        resumes = all(each.consequence is None or each.consequence.outcome == "resumes" for each in found)
        return [each for each in found if each.consequence is not None] if resumes else []

    @property
    def reach(self) -> Reach:
        """The reach of the line: that of the finding that is reached most easily."""
        return min((each.reach for each in (self.finding, *self.others)), key=rank)

    @property
    def inside(self) -> list[Finding]:
        """The others that are inside a library."""
        return [each for each in self.others if is_inside_library(each)]


def fold(findings: Iterable[Finding], *, show_all: bool = False) -> list[FoldedFinding]:
    """Return one entry for each line with findings, in the order of the report; with ``show_all`` one a finding."""
    if show_all:
        return [FoldedFinding(finding) for finding in findings]
    lines: dict[tuple[str, int], list[Finding]] = {}
    for finding in findings:
        lines.setdefault((finding.span.path, finding.span.line), []).append(finding)
    return [_folded(group) for group in lines.values()]


def _folded(group: list[Finding]) -> FoldedFinding:
    first = min(group, key=_weight)
    return FoldedFinding(first, tuple(each for each in group if each is not first))


def _weight(finding: Finding) -> tuple[int, int, bool, int, int]:
    """Return a key by which the finding that matters most is the smallest; the user's own code comes first."""
    severity = _WORST_FIRST.index(finding.severity)
    return severity, -finding.confidence.rank, is_inside_library(finding), rank(finding.reach), -finding.cost


def is_inside_library(finding: Finding) -> bool:
    """Return whether the break is in a library, which the line of the finding calls."""
    return bool(finding.chain) and finding.chain[-1].path != finding.span.path


def calls(finding: Finding) -> tuple[ChainLink, ...]:
    """Return the chain of calls that leads to a finding; nothing for a finding at the top level of a module."""
    is_top_level = len(finding.chain) == 1 and finding.chain[0].function == "<module>"
    return () if is_top_level else finding.chain


def suffix(entry: FoldedFinding) -> str:
    """Return the note for formats with one line per entry; "" if the finding is the only one of its line."""
    if not entry.others:
        return ""
    codes = ", ".join(sorted({each.code for each in entry.others}))
    return f" (and {len(entry.others)} more {_where(entry)}: {codes})"


def sentences(entry: FoldedFinding) -> Iterator[str]:
    """Yield the other findings of a line: each of the user's own code, and the counts of those in libraries."""
    for each in entry.others:
        if not is_inside_library(each):
            yield f"{each.code} [{each.confidence.value}] at column {each.span.column}: {each.message}"
    inside = Counter(f"{each.code} {each.rule}" for each in entry.inside)
    if inside:
        names = [f"{name} ({count})" if count > 1 else name for name, count in inside.most_common()]
        more = " more" if is_inside_library(entry.finding) else ""
        yield f"{inside.total()}{more} in libraries, reached through this line: {', '.join(names)}"


def _where(entry: FoldedFinding) -> str:
    in_call = all(
        each.span == entry.finding.span and is_inside_library(each) for each in (entry.finding, *entry.others)
    )
    return "in this call" if in_call else "on this line"
