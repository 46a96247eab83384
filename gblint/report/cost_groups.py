"""Breaks with one cost: those of one line, and those that keep the same function from being compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from gblint.diagnostics.finding import Finding
from gblint.project.source_text import located, neutral, place
from gblint.report.consequences import ROUNDS, eager_operators
from gblint.report.folding import BREAKS, FoldedFinding
from gblint.report.no_entry_points import counted
from gblint.runtime.lazy_dataclasses import dataclass

NAMED: Final = 3  # lines and rules that are named
SEPARATE: Final = "the functions that an eager function calls are compiled separately"
UNIT: Final = f"estimated; a loop of unknown length counts as {ROUNDS} rounds"


@dataclass(frozen=True, slots=True)
class CostGroup:
    """Lines whose breaks have one cost, in the order of files and lines.

    If a function runs eagerly because of several lines, it is compiled only when all of them are changed.
    """

    lines: tuple[FoldedFinding, ...]

    @property
    def costliest(self) -> Finding:
        """The costliest finding."""
        return max((entry.costliest for entry in self.lines), key=lambda finding: finding.cost)

    @property
    def cost(self) -> int:
        """The cost of a function that runs eagerly, or that of all breaks of the line together."""
        return max(entry.cost for entry in self.lines)

    @property
    def splits(self) -> list[Finding]:
        """The breaks of a line after which Dynamo resumes; none for lines that keep a function eager."""
        return self.lines[0].splits if len(self.lines) == 1 else []

    @property
    def findings(self) -> list[Finding]:
        """All findings on these lines."""
        return [each for entry in self.lines for each in (entry.finding, *entry.others)]

    @property
    def entry(self) -> str:
        """The entry point in which the group costs most; "" if there is none."""
        found = self.costliest
        if found.consequence is not None and found.consequence.entry:
            return found.consequence.entry
        return min((name for each in self.findings for name in each.entries), default="")

    @property
    def entries(self) -> set[str]:
        """All entry points that lead to these lines."""
        return {name for each in self.findings for name in each.entries}


def cost_groups(entries: Iterable[FoldedFinding]) -> list[CostGroup]:
    """Return the groups of the lines that break the graph or raise an error, the costliest first."""
    breaking = [entry for entry in entries if entry.costliest.category in BREAKS]
    return sorted(in_groups(breaking), key=lambda group: -group.cost)


def in_groups(entries: Iterable[FoldedFinding]) -> list[CostGroup]:
    """Return the groups of lines in the order of the report: each is where its first line is."""
    groups: dict[tuple[object, ...], list[FoldedFinding]] = {}
    for entry in entries:
        groups.setdefault(_cause(entry), []).append(entry)
    return [CostGroup(tuple(sorted(lines, key=lambda entry: entry.finding.span))) for lines in groups.values()]


def _cause(entry: FoldedFinding) -> tuple[object, ...]:
    """Return the function that runs eagerly because of a line; the line itself if there is none."""
    finding = entry.costliest
    found = finding.consequence
    if found is None or found.outcome == "resumes" or not eager_operators(finding):
        return finding.span.path, finding.span.line
    return found.entry, found.frame, found.outcome, entry.reach


def row(group: CostGroup) -> str:
    """Return the places, the rules and the cost of a group."""
    cost = neutral(cost_text(group))
    return f"{places(group.lines)}: {rules(group)}{f': {cost}' if cost else ''}"


def cost_text(group: CostGroup) -> str:
    """Return what a group costs in a call of the entry point in which it costs most; "" without an estimate."""
    finding = group.costliest
    found = finding.consequence
    if found is None:
        return ""
    if found.outcome != "resumes":
        operators = eager_operators(finding)
        start = f" from line {located(finding.span.path, found.line)[1]}" if found.outcome == "rest-eager" else ""
        much = f", about {counted(operators, 'operator')} per call" if operators else ""
        return f"`{found.frame}` runs eagerly{start}{much}"
    number = breaks(group)
    if number is None:
        return "breaks in every round of a loop (length unknown)"
    layers = f" ({found.layers} layers)" if found.layers else ""
    return f"{counted(number, 'break')} per call{layers}"


def breaks(group: CostGroup) -> int | None:
    """Return how often the graph breaks in one call; None if that is in a loop of unknown length."""
    number = 0
    for each in group.splits or [group.costliest]:
        repeats = 1 if each.consequence is None else each.consequence.repeats
        if repeats is None:
            return None
        number += repeats
    return number


def places(lines: Sequence[FoldedFinding], at: Callable[[str, int], str] = place) -> str:
    """Return the places of the first lines, with the file where it changes, and the number of the others.

    ``at`` formats a file and a line.
    """
    shown: list[str] = []
    last = ""
    for entry in lines[:NAMED]:
        span = entry.finding.span
        cell, line = located(span.path, span.line)
        shown.append(str(line) if span.path == last and cell is None else at(span.path, span.line))
        last = span.path
    left = len(lines) - NAMED
    return ", ".join(shown) + (f" and {counted(left, 'more line')}" if left > 0 else "")


def rules(group: CostGroup) -> str:
    """Return the rules of the first lines, and how many findings there are beside one for each line."""
    names = dict.fromkeys(f"{entry.finding.code} {entry.finding.rule}" for entry in group.lines[:NAMED])
    left = len(group.findings) - len(group.lines)
    return ", ".join(names) + (f" and {left:,} more" if left else "")
