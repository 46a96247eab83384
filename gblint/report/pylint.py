"""The text format of pylint, which many servers and editors read: ``path:line: [CODE] message``."""

from __future__ import annotations

from collections.abc import Iterator

from gblint.diagnostics.report import Report
from gblint.project.source_text import neutral, neutral_path
from gblint.report import unresolved
from gblint.report.concise import one_line
from gblint.report.repo_paths import repository_path


def render(report: Report) -> Iterator[str]:
    """Yield one line for each finding, each error and each unresolved target."""
    for error in report.errors:
        yield f"{neutral_path(repository_path(error.path))}:{max(error.line, 1)}: [gblint] {neutral(error.message)}"
    for target in unresolved.messages(report):
        place = f"{neutral_path(repository_path(target.path))}:{target.line}"
        yield f"{place}: [{unresolved.CODE}] {neutral(target.message)}"
    for finding in report.findings:
        place = f"{neutral_path(repository_path(finding.span.path))}:{max(finding.span.line, 1)}"
        yield f"{place}: [{finding.code}] {one_line(finding)}"
