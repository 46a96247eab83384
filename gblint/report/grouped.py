"""The grouped format: the findings of each file below its path, one per line."""

from __future__ import annotations

from collections.abc import Iterator

from gblint.project.source_text import Style, located, shown_path
from gblint.report import folding
from gblint.report.concise import described
from gblint.report.consequences import suffix
from gblint.report.folding import FoldedFinding
from gblint.report.listing import Listing, conditional_note


def render(entries: Listing, style: Style) -> Iterator[str]:
    """Yield the lines of the report: files with the most important findings first, each in the order of lines."""
    files: dict[str, list[FoldedFinding]] = {}
    for entry in entries.shown:
        files.setdefault(entry.finding.span.path, []).append(entry)
    for path, group in files.items():
        group.sort(key=lambda entry: entry.finding.span)
        placed = [(_place(path, entry.finding.span.line, entry.finding.span.column), entry) for entry in group]
        yield f"{style.bold(shown_path(path))}{style.cyan(':')}"
        width = max(len(place) for place, _ in placed)
        for place, entry in placed:
            notes = suffix(entry.finding) + folding.suffix(entry)
            yield f"  {place:<{width}}  {described(entry.finding, style)}{notes}"
        yield ""
    yield from conditional_note(entries)


def _place(path: str, line: int, column: int) -> str:
    cell, line = located(path, line)
    return f"{line}:{column}" if cell is None else f"cell {cell}:{line}:{column}"
