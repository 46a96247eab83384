"""Lists of the costliest lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, neutral, place
from gblint.report.consequences import repeats, suffix
from gblint.report.folding import FoldedFinding
from gblint.report.graph_counts import MOST, graphs_per_call, more
from gblint.report.listing import Listing
from gblint.report.no_entry_points import counted


def closing(report: Report, entries: Listing, style: Style) -> Iterator[str]:
    """Yield what a short report ends with: the costliest lines, and the graphs of entry points."""
    yield from _costliest(entries.lines if entries.show_all else entries.shown, style)
    yield from graphs_per_call(report, style, None if entries.show_all else MOST)


def at_line(entry: FoldedFinding, *, names_entry: bool = False) -> str:
    """Return the place and the rule of an entry, and in brief what its costliest finding costs.

    names_entry: the text ends with the entry point, or with the number of those that lead there.
    """
    finding, costly = entry.finding, entry.costliest
    others = f" and {len(entry.others)} more" if entry.others else ""
    names = {name for each in (finding, *entry.others) for name in each.entries}
    source = ""
    if names_entry and names:
        from_ = neutral(min(names).rpartition(":")[2]) if len(names) == 1 else counted(len(names), "entry point")
        source = f"; from {from_}"
    where = place(finding.span.path, finding.span.line)
    return (
        f"  {where}: {finding.code} {finding.rule}{others}{neutral(suffix(costly))}{neutral(repeats(costly))}{source}"
    )


def _costliest(shown: Sequence[FoldedFinding], style: Style) -> Iterator[str]:
    """Yield a list of the costliest lines, if they differ in cost."""
    ranked = sorted((entry for entry in shown if entry.cost), key=lambda entry: -entry.cost)
    if len(ranked) > 1 and ranked[0].cost > ranked[-1].cost:
        yield style.bold("Costliest first:")
        yield from map(at_line, ranked[:MOST])
        yield from more(len(ranked), MOST)
