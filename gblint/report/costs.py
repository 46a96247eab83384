"""Lists of what costs most: lines, functions and entry points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from gblint.diagnostics.reach import rank
from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, neutral
from gblint.report.cost_groups import SEPARATE, UNIT, CostGroup, cost_groups, row
from gblint.report.folding import FoldedFinding
from gblint.report.graph_counts import MOST, graphs_by_name, graphs_per_call, kinds, more
from gblint.report.listing import Listing, is_of_tests, reached_only
from gblint.report.no_entry_points import counted

LINES: Final = 5  # entry points that are listed, or lines and functions if there is one entry point only
GROUPS: Final = 3  # lines and functions of each of several entry points


def closing(report: Report, entries: Listing, style: Style) -> Iterator[str]:
    """Yield what a short report ends with: the costliest lines, and the graphs of entry points."""
    yield from _costliest(entries.lines if entries.show_all else entries.shown, style)
    yield from graphs_per_call(report, style, None if entries.show_all else MOST)


def _costliest(shown: Iterable[FoldedFinding], style: Style) -> Iterator[str]:
    """Yield a list of what costs most, if the costs differ."""
    ranked = [group for group in cost_groups(shown) if group.cost]
    if len(ranked) > 1 and ranked[0].cost > ranked[-1].cost:
        yield style.bold(f"Costliest first ({UNIT}):")
        usual = any(rank(group.lines[0].reach) <= rank("default") for group in ranked)
        yield from (f"  {row(group)}{_condition(group) if usual else ''}" for group in ranked[:MOST])
        yield from more(len(ranked), MOST)


def by_entry_point(
    report: Report, lines: Iterable[FoldedFinding], style: Style, when: str, *, show_all: bool
) -> Iterator[str]:
    """Yield the entry points by what their lines cost, each with the number of its graphs and its costliest lines.

    when: the time at which these lines are reached, for the heading. show_all: nothing is left out.
    """
    found: dict[str, list[CostGroup]] = {}
    for group in cost_groups(lines):
        found.setdefault(group.entry, []).append(group)
    if not found:
        return
    of_each = ", by entry point" if any(found) else ""
    groups = [group for each in found.values() for group in each]
    separate = f"; {SEPARATE}" if any(group.costliest.consequence and not group.splits for group in groups) else ""
    yield style.bold(f"What costs most {when}{of_each} ({UNIT}{separate}):")
    graphs = graphs_by_name(report)
    names = list(found) if show_all else list(found)[:LINES]
    for name in names:
        indent = "    " if name else "  "
        if name:
            yield f"  {neutral(name)}{f', {graphs[name]}' if name in graphs else ''}:"
        groups = found[name]
        most = len(groups) if show_all else LINES if len(found) == 1 else GROUPS
        yield from (f"{indent}{row(group)}{_elsewhere(group)}" for group in groups[:most])
        yield from (f"{indent[2:]}{line}" for line in more(len(groups), most))
    rest = [name for name in found if name not in names]
    if rest:
        yield f"  ... and {counted(len(rest), 'more entry point')}: {kinds(report, rest)}; --show-all lists each"


def _condition(group: CostGroup) -> str:
    """Return when a group is reached that a default run does not reach, or only tests; "" for other groups."""
    entry = group.lines[0]
    return "" if rank(entry.reach) <= rank("default") and not is_of_tests(entry) else f"; {reached_only(entry)}"


def _elsewhere(group: CostGroup) -> str:
    """Return how many other entry points lead to a group."""
    others = len(group.entries) - 1
    return f"; also from {counted(others, 'other entry point')}" if others > 0 else ""
