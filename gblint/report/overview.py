"""The summary on top of a long report: a default run, errors, the costliest findings, and objects not analysed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gblint.diagnostics.reach import rank
from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, neutral, place
from gblint.report import fix_first, removing_settings, summary, unresolved
from gblint.report.costs import by_entry_point
from gblint.report.default_run import sentence as default_run
from gblint.report.folding import BREAKS, FoldedFinding
from gblint.report.graph_counts import more, reaching
from gblint.report.listing import Listing, group
from gblint.report.no_entry_points import counted

LINES: Final = 5  # lines of each list
DEFINITION: Final = "(A default run leaves all options and configurations at their defaults.)"


def overview(report: Report, entries: Listing, style: Style, cut: int = 0) -> Iterator[str]:
    """Yield the lines of the summary; ``cut`` entry points were analysed only in part."""
    usual = default_run(entries, style, complete=unresolved.is_complete(report, cut))
    yield f"{usual} {DEFINITION}" if usual else ""
    yield from filter(None, [fix_first.sentence(entries, style)])
    lines = counted(len(entries.lines), "line")
    leading = reaching(report)
    reached = f", reached from {len(leading):,} of {counted(len(report.entries), 'entry point')}" if leading else ""
    yield f"{style.bold('In all:')} {summary.found(report)} on {lines}{reached}"
    assumed = summary.assumed(report)
    if assumed:
        yield f"{style.bold('Entry points:')} {assumed}; name yours with --entry"
    else:
        several = "; a run meets only those that it compiles" if len(report.entries) > 1 else ""
        points = counted(len(report.entries), "entry point")
        yield f"{style.bold('Compiled:')} {points}{summary.names(report.entries)}{several}"
    yield from _raising(entries, style)
    nearest, when = _nearest(entries)
    yield from by_entry_point(report, nearest, style, when, show_all=entries.show_all)
    yield from removing_settings.section(entries, style)
    missing = report.unresolved
    if missing:
        how, share = unresolved.heading(report)
        yield f"{style.bold(f'{how}:')} {share}"
        for target in missing[:LINES]:
            what = f"`{neutral(target.expression)}`{unresolved.missed(report, target)}"
            yield f"  {place(target.path, target.line)}: {what}: {neutral(target.explanation)}"
        yield from more(len(missing), LINES)
    if report.errors:
        yield f"{style.bold('Skipped because of errors:')} {counted(len(report.errors), 'part')} (see the end)"
    if cut:
        why = unresolved.reasons(report) or "see the warnings"
        yield f"{style.bold('Analysed only in part:')} {counted(cut, 'entry point')} ({why})"


def _raising(entries: Listing, style: Style) -> Iterator[str]:
    """Yield the lines that raise an error."""
    shown = entries.lines if entries.show_all else entries.shown
    raising = [entry.finding for entry in shown if entry.finding.raises]
    if raising:
        yield style.bold("Raises an error:")
        for finding in raising[:LINES]:
            yield f"  {place(finding.span.path, finding.span.line)}: {finding.code} {finding.rule}"
        yield from more(len(raising), LINES)


def _nearest(entries: Listing) -> tuple[list[FoldedFinding], str]:
    """Return the lines that a default run reaches, those that are reached most easily if there are none, and when."""
    others = [entry for entry in entries.lines if not entry.finding.raises and entry.finding.category in BREAKS]
    if not others:
        return [], ""
    usual = [entry for entry in others if rank(entry.reach) <= rank("default")]
    if usual:
        return usual, "in a default run"
    heading = group(others[0])
    return [entry for entry in others if group(entry) == heading], heading
