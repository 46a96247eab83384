"""The concise format, one line per entry: ``path:line:column: CODE message``."""

from __future__ import annotations

from collections.abc import Iterator

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, neutral, place
from gblint.report import folding
from gblint.report.confirmations import mark
from gblint.report.consequences import suffix


def render(report: Report, style: Style, *, show_all: bool = False) -> Iterator[str]:
    """Return the lines of the report: one for each line with findings, with ``show_all`` one a finding."""
    for entry in folding.fold(report.findings, show_all=show_all):
        yield headline(entry.finding, style) + neutral(suffix(entry.finding)) + folding.suffix(entry)


def headline(finding: Finding, style: Style) -> str:
    """Return the place, code, confidence and message of a finding."""
    span = finding.span
    colon = style.cyan(":")
    path, _, line = place(span.path, span.line).rpartition(":")
    return f"{style.bold(path)}{colon}{line}{colon}{span.column}{colon} {described(finding, style)}"


def described(finding: Finding, style: Style) -> str:
    """Return the code, confidence and message of a finding."""
    paint = {Severity.ERROR: style.red, Severity.WARNING: style.red, Severity.INFO: style.blue}[finding.severity]
    seen = mark(finding)
    sure = style.dim(f"[{finding.confidence.value}{', ' if seen else ''}{seen}]")
    raises = " (raises)" if finding.severity is Severity.ERROR else ""
    if finding.severity is Severity.INFO and finding.category is Category.GRAPH_BREAK:
        raises = " (allowed)"
    return f"{paint(finding.code)} {sure} {neutral(finding.message)}{raises}"
