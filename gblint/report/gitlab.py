"""GitLab's code quality report, for the widget and the diff of a merge request."""

from __future__ import annotations

from typing import Any

from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.project.source_text import Source
from gblint.report import unresolved
from gblint.report.concise import one_line
from gblint.report.fingerprints import digest, with_paths
from gblint.report.json import strict
from gblint.report.repo_paths import repository_path

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, source: Source) -> str:
    """Return a JSON list with one object for each finding, each error and each unresolved target."""
    marks = with_paths(report.findings, source)
    items = [_error(error) for error in report.errors]
    items += [_unresolved(target) for target in report.unresolved]
    items += [_partial(warning) for warning in report.partial]
    items += [_finding(finding, mark) for finding, mark in zip(report.findings, marks)]
    return strict(items)


def _finding(finding: Finding, mark: str) -> dict[str, Any]:
    span = finding.span
    return {
        "description": f"{finding.code} {one_line(finding)}",
        "check_name": finding.code,
        "fingerprint": mark,
        "severity": _SEVERITIES[finding.severity],
        "location": _location(span.path, span.line, span.end_line),
    }


def _unresolved(target: UnresolvedTarget) -> dict[str, Any]:
    return {
        "description": target.message,
        "check_name": f"gblint-{unresolved.CODE}",
        "fingerprint": digest(repository_path(target.path), target.expression, target.message),
        "severity": "info",
        "location": _location(target.path, target.line, target.line),
    }


def _partial(warning: FileError) -> dict[str, Any]:
    return {**_error(warning), "check_name": f"gblint-{unresolved.CODE}", "severity": "info"}


def _error(error: FileError) -> dict[str, Any]:
    return {
        "description": error.message,
        "check_name": "gblint-error",
        "fingerprint": digest(repository_path(error.path), error.message),
        "severity": "blocker",
        "location": _location(error.path, error.line, error.line),
    }


def _location(path: str, line: int, last: int) -> dict[str, Any]:
    first = max(line, 1)
    return {"path": repository_path(path), "lines": {"begin": first, "end": max(last, first)}}
