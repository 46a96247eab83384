"""The concise format, one line per entry: ``path:line:column: CODE message``."""

from __future__ import annotations

from collections.abc import Iterator

from gblint.diagnostics.finding import Finding, Severity
from gblint.project.source_text import Style, neutral, place
from gblint.report import folding
from gblint.report.confirmations import mark
from gblint.report.consequences import suffix
from gblint.report.listing import Listing, conditional_note


def render(entries: Listing, style: Style) -> Iterator[str]:
    """Yield the lines of the report, one an entry."""
    for entry in entries.shown:
        yield headline(entry.finding, style) + suffix(entry.finding) + folding.suffix(entry)
    yield from conditional_note(entries)


def headline(finding: Finding, style: Style) -> str:
    """Return the place, code, confidence and message of a finding."""
    span = finding.span
    colon = style.cyan(":")
    path, _, line = place(span.path, span.line).rpartition(":")
    return f"{style.bold(path)}{colon}{line}{colon}{span.column}{colon} {described(finding, style)}"


def described(finding: Finding, style: Style) -> str:
    """Return the code, confidence and message of a finding."""
    paint = {Severity.ERROR: style.red, Severity.WARNING: style.red, Severity.INFO: style.blue}[finding.severity]
    return f"{paint(finding.code)} {_without_code(finding, style)}"


def one_line(finding: Finding) -> str:
    """Return all that a format with one line per finding says of it, without its place and its code."""
    return _without_code(finding, Style()) + suffix(finding)


def _without_code(finding: Finding, style: Style) -> str:
    seen = mark(finding)
    sure = style.dim(f"[{finding.confidence.value}{', ' if seen else ''}{seen}]")
    raises = " (raises)" if finding.raises else " (allowed)" if finding.is_allowed else ""
    return f"{sure} {neutral(finding.message)}{raises}"
