"""The summary on top of a long report: a default run, errors, the costliest findings, and objects not analysed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, neutral, place
from gblint.report import removing_settings, summary, unresolved
from gblint.report.costs import at_line
from gblint.report.default_run import sentence as default_run
from gblint.report.graph_counts import graphs_per_call, more, reaching
from gblint.report.listing import BREAKS, Listing, group
from gblint.report.no_entry_points import counted

LINES: Final = 5  # lines of each list


def overview(report: Report, entries: Listing, style: Style, cut: int = 0) -> Iterator[str]:
    """Yield the lines of the summary; ``cut`` entry points were analysed only in part."""
    yield default_run(entries, style, complete=unresolved.is_complete(report, cut))
    lines = counted(len(entries.lines), "line")
    points = reaching(report)
    reached = f", reached from {len(points):,} of {counted(len(report.entries), 'entry point')}" if points else ""
    yield f"{style.bold('In all:')} {summary.found(report)} on {lines}{reached}"
    assumed = summary.assumed(report)
    if assumed:
        yield f"{style.bold('Entry points:')} {assumed}; name yours with --entry"
    else:
        yield f"{style.bold('Compiled:')} {counted(len(report.entries), 'entry point')}{summary.names(report.entries)}"
    yield from _start(entries, style)
    yield from removing_settings.section(entries, style)
    yield from graphs_per_call(report, style, None if entries.show_all else LINES)
    missing = report.unresolved
    if missing:
        how, share = unresolved.heading(report)
        yield f"{style.bold(f'{how}:')} {share}"
        for target in missing[:LINES]:
            yield f"  {place(target.path, target.line)}: `{neutral(target.expression)}`: {neutral(target.explanation)}"
        yield from more(len(missing), LINES)
    if report.errors:
        yield f"{style.bold('Skipped because of errors:')} {counted(len(report.errors), 'part')} (see the end)"
    if cut:
        yield f"{style.bold('Analysed only in part:')} {counted(cut, 'entry point')} (see the warnings)"


def _start(entries: Listing, style: Style) -> Iterator[str]:
    """Yield the lines that raise an error, and the costliest of the lines that are reached most easily.

    If several entry points lead to findings, each of these lines names its own.
    """
    shown = entries.lines if entries.show_all else entries.shown
    names = {name for entry in shown for each in (entry.finding, *entry.others) for name in each.entries}
    raising = [entry.finding for entry in shown if entry.finding.raises]
    if raising:
        yield style.bold("Raises an error:")
        for finding in raising[:LINES]:
            yield f"  {place(finding.span.path, finding.span.line)}: {finding.code} {finding.rule}"
        yield from more(len(raising), LINES)
    others = [entry for entry in shown if not entry.finding.raises and entry.finding.category in BREAKS]
    if others:
        heading = group(others[0])
        alike = [entry for entry in others if group(entry) == heading]
        yield style.bold(f"Start here, the costliest lines first ({heading}):")
        yield from (at_line(entry, names_entry=len(names) > 1) for entry in alike[:LINES])
        yield from more(len(alike), LINES)
