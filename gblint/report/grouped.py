"""The grouped format: the findings of each file below its path, one per line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, located, neutral, shown_path
from gblint.report import folding
from gblint.report.concise import described
from gblint.report.consequences import suffix


def render(report: Report, style: Style, *, show_all: bool = False) -> Iterator[str]:
    """Return the lines of the report: one for each line with findings, with ``show_all`` one a finding."""
    entries = folding.fold(report.findings, show_all=show_all)
    for path, group in groupby(entries, key=lambda entry: entry.finding.span.path):
        placed = [(_place(path, entry.finding.span.line, entry.finding.span.column), entry) for entry in group]
        yield f"{style.bold(shown_path(path))}{style.cyan(':')}"
        width = max(len(place) for place, _ in placed)
        for place, entry in placed:
            notes = neutral(suffix(entry.finding)) + folding.suffix(entry)
            yield f"  {place:<{width}}  {described(entry.finding, style)}{notes}"
        yield ""


def _place(path: str, line: int, column: int) -> str:
    cell, line = located(path, line)
    return f"{line}:{column}" if cell is None else f"cell {cell}:{line}:{column}"
