"""The summary on top of a long report: counts, errors, the most expensive findings, and objects not analysed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, neutral, place
from gblint.report import summary, unresolved
from gblint.report.consequences import closing
from gblint.report.listing import Listing
from gblint.report.no_entry_points import counted

LINES: Final = 5  # lines of each list


def overview(report: Report, entries: Listing, style: Style) -> Iterator[str]:
    """Yield the lines of the summary."""
    yield style.bold(f"{summary.found(report)} on {counted(len(entries.shown) + len(entries.conditional), 'line')}:")
    raising = [entry.finding for entry in entries.shown if entry.finding.raises]
    if raising:
        yield style.bold("Raises an error:")
        for finding in raising[:LINES]:
            yield f"  {place(finding.span.path, finding.span.line)}: {finding.code} {finding.rule}"
        if len(raising) > LINES:
            yield f"  ... and {len(raising) - LINES:,} more"
    yield from closing(report, entries, style, LINES)
    missing = report.unresolved
    if missing:
        yield f"{style.bold('Not analysed:')} {unresolved.share(report)}"
        for target in missing[:LINES]:
            yield f"  {place(target.path, target.line)}: {neutral(target.expression)}"
        if len(missing) > LINES:
            yield f"  ... and {len(missing) - LINES:,} more"
