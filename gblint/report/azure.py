"""Azure Pipelines annotations: logging commands that add findings to the issues of a run."""

from __future__ import annotations

from collections.abc import Iterator

from gblint.diagnostics.finding import Severity
from gblint.diagnostics.report import FileError, Report
from gblint.project.source_text import neutral
from gblint.report import folding, unresolved
from gblint.report.concise import one_line
from gblint.report.folding import FoldedFinding
from gblint.report.listing import by_importance
from gblint.report.repo_paths import repository_path


def render(report: Report, *, show_all: bool = False) -> Iterator[str]:
    """Yield one command for each error, unresolved target and line with findings; Azure has two levels.

    With ``show_all`` there is one command a finding.
    """
    yield from map(_error, report.errors)
    yield from map(_not_analysed, unresolved.messages(report))
    yield from map(_finding, by_importance(folding.fold(report.findings, show_all=show_all)))


def _finding(entry: FoldedFinding) -> str:
    finding = entry.finding
    span, level = finding.span, "error" if finding.severity is Severity.ERROR else "warning"
    places = {
        "type": level,
        "sourcepath": repository_path(span.path),
        "linenumber": str(max(span.line, 1)),
        "columnnumber": str(max(span.column, 1)),
        "code": finding.code,
    }
    return _command(places, f"{finding.code} {one_line(finding)}{folding.suffix(entry)}")


def _not_analysed(target: FileError) -> str:
    places = {"type": "warning", "sourcepath": repository_path(target.path), "linenumber": str(target.line)}
    return _command(places, target.message)


def _error(error: FileError) -> str:
    places = {"type": "error", "sourcepath": repository_path(error.path)}
    if error.line:
        places["linenumber"] = str(error.line)
    return _command(places, error.message)


def _command(properties: dict[str, str], message: str) -> str:
    listed = "".join(f"{key}={_property(neutral(value))};" for key, value in properties.items())
    return f"##vso[task.logissue {listed}]{_data(neutral(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(";", "%3B").replace("]", "%5D")
