"""Reviewdog's diagnostic format, for comments in code reviews."""

from __future__ import annotations

from typing import Any

from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.span import Span
from gblint.project.source_text import Source
from gblint.report import unresolved
from gblint.report.finding_notes import FindingNotes
from gblint.report.json import strict
from gblint.report.repo_paths import repository_path

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(report: Report, source: Source, notes: FindingNotes | None = None) -> str:
    """Return the document for a run."""
    notes = notes or FindingNotes(report.findings)
    items = [_error(error) for error in report.errors]
    items += [_not_analysed(each) for each in unresolved.messages(report)]
    items += [_finding(finding, source, notes) for finding in report.findings]
    return strict({"source": {"name": "gblint"}, "severity": "WARNING", "diagnostics": items})


def _finding(finding: Finding, source: Source, notes: FindingNotes) -> dict[str, Any]:
    text = "\n".join([finding.message, *notes.lines_with_chain(finding)])
    suggestions = [each for fix in finding.fixes for each in _suggestions(fix, finding, source)]
    return {
        "message": text,
        "location": {"path": repository_path(finding.span.path), "range": _range(finding.span, source)},
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.code},
        **({"suggestions": suggestions} if suggestions else {}),
    }


def _suggestions(fix: Fix, finding: Finding, source: Source) -> list[dict[str, Any]]:
    """Return a fix that is a single edit near its finding, which a reader can apply whole; none for other fixes."""
    if len(fix.edits) != 1 or fix.applicability == "display" or fix.edits[0].span.path != finding.span.path:
        return []
    (edit,) = fix.edits
    return [{"range": _range(edit.span, source), "text": edit.content}]


def _not_analysed(target: FileError) -> dict[str, Any]:
    return {
        "message": target.message,
        "location": {"path": repository_path(target.path), "range": {"start": {"line": target.line}}},
        "severity": "INFO",
        "code": {"value": unresolved.CODE},
    }


def _error(error: FileError) -> dict[str, Any]:
    place: dict[str, Any] = {"path": repository_path(error.path)}
    if error.line:
        place["range"] = {"start": {"line": error.line}}
    return {"message": error.message, "location": place, "severity": "ERROR"}


def _range(span: Span, source: Source) -> dict[str, Any]:
    """Return a position; columns count from 1, in bytes of UTF-8."""
    lines = source.lines(span.path)
    start = {"line": max(span.line, 1), "column": _bytes(lines, span.line, span.column)}
    if not span.end_column:
        return {"start": start}
    last = max(span.end_line, span.line, 1)
    return {"start": start, "end": {"line": last, "column": _bytes(lines, last, span.end_column)}}


def _bytes(lines: list[str], line: int, column: int) -> int:
    text = lines[line - 1] if 1 <= line <= len(lines) else ""
    return max(column, 1) if text.isascii() else len(text[: max(column, 1) - 1].encode("utf-8", "replace")) + 1
