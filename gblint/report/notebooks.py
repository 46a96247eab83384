"""What is found in notebooks, for readers that know only lines of files: those of the ``.ipynb`` file itself."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gblint.findings import ChainLink, FileError, Finding, Report, Said, Span
from gblint.records import replace
from gblint.report.text import Source, located, notebook_at

_SUFFIX = ".ipynb"


def in_files(report: Report, source: Source) -> tuple[Report, Source]:
    """The report and the sources with the lines of the files; what is not in a notebook stays as it is."""
    findings = findings_in_files(report.findings)
    errors = [_error(error) for error in report.errors]
    texts = {}
    for path in {finding.span.path for finding in findings if finding.span.path.endswith(_SUFFIX)}:
        notebook = notebook_at(path)
        texts[str(Path(path).absolute())] = "" if notebook is None else notebook.raw
    if not texts:
        return replace(report, findings=findings, errors=errors), source
    entries = [replace(point, line=_line(point.path, point.line)) for point in report.entries]
    raw = Source({**source.overlays, **texts})
    return replace(report, findings=findings, errors=errors, entries=entries), raw


def findings_in_files(findings: Iterable[Finding]) -> list[Finding]:
    """Findings with the lines of the files."""
    return [_finding(finding) for finding in findings]


def _finding(found: Finding) -> Finding:
    chain = tuple(ChainLink(link.path, _line(link.path, link.line), link.function) for link in found.chain)
    raised_by, allowed_by = _said(found.raised_by), _said(found.allowed_by)
    found = replace(found, chain=chain, raised_by=raised_by, allowed_by=allowed_by)
    span = found.span
    cell, line = located(span.path, span.line)
    if cell is None:
        return found
    first, last = _line(span.path, span.line), _line(span.path, max(span.line, span.end_line))
    # Columns of the file count in the JSON, and so would the edits.
    return replace(
        found, span=Span(span.path, first, 1, last), message=f"cell {cell}, line {line}: {found.message}", fixes=()
    )


def _line(path: str, line: int) -> int:
    notebook = notebook_at(path) if line else None
    return line if notebook is None else notebook.line_in_file(line)


def _said(said: Said | None) -> Said | None:
    return None if said is None else replace(said, line=_line(said.path, said.line))


def _error(error: FileError) -> FileError:
    cell, line = located(error.path, error.line)
    if cell is None:
        return error
    return FileError(error.path, _line(error.path, error.line), f"cell {cell}, line {line}: {error.message}")
