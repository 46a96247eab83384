"""The grouped format: the findings of each file below its path, one per line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, display_path, located, neutral
from gblint.report.concise import described
from gblint.report.consequences import suffix


def render(report: Report, style: Style) -> Iterator[str]:
    """Return the lines of the report."""
    for path, group in groupby(report.findings, key=lambda finding: finding.span.path):
        placed = [(_place(path, finding.span.line, finding.span.column), finding) for finding in group]
        yield f"{style.bold(neutral(display_path(path)))}{style.cyan(':')}"
        width = max(len(place) for place, _ in placed)
        for place, finding in placed:
            yield f"  {place:<{width}}  {described(finding, style)}{neutral(suffix(finding))}"
        yield ""


def _place(path: str, line: int, column: int) -> str:
    cell, line = located(path, line)
    return f"{line}:{column}" if cell is None else f"cell {cell}:{line}:{column}"
