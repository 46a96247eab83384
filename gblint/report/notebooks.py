"""Findings in notebooks with the line numbers of the ``.ipynb`` file, for readers that do not support cells."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from gblint.diagnostics.entry_point import OptionSource
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.span import ChainLink, Span
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.project.source_text import Source, located, notebook_at
from gblint.runtime.lazy_dataclasses import replace

_SUFFIX = ".ipynb"


def in_files(report: Report, source: Source, exempt: Collection[str] = ()) -> tuple[Report, Source]:
    """Return the report and the sources with the line numbers of ``.ipynb`` files.

    The notebooks in ``exempt``, given by absolute path, keep the line numbers of their cells.
    """
    findings = findings_in_files(report.findings, exempt)
    errors = [_error(error, exempt) for error in report.errors]
    unresolved = [_unresolved(target, exempt) for target in report.unresolved]
    report = replace(report, partial=[_error(warning, exempt) for warning in report.partial])
    texts = {}
    for path in {finding.span.path for finding in findings if finding.span.path.endswith(_SUFFIX)}:
        if os.path.abspath(path) in exempt:
            continue
        notebook = notebook_at(path)
        texts[str(Path(path).absolute())] = "" if notebook is None else notebook.raw
    if not texts:
        return replace(report, findings=findings, errors=errors, unresolved=unresolved), source
    entries = [replace(point, line=_line(point.path, point.line, exempt)) for point in report.entries]
    raw = Source({**source.overlays, **texts})
    return replace(report, findings=findings, errors=errors, entries=entries, unresolved=unresolved), raw


def findings_in_files(findings: Iterable[Finding], exempt: Collection[str] = ()) -> list[Finding]:
    """Return findings with the line numbers of ``.ipynb`` files, except in the notebooks ``exempt``."""
    return [_finding(finding, exempt) for finding in findings]


def _finding(found: Finding, exempt: Collection[str]) -> Finding:
    chain = tuple(ChainLink(link.path, _line(link.path, link.line, exempt), link.function) for link in found.chain)
    raised_by, allowed_by = _option_source(found.raised_by, exempt), _option_source(found.allowed_by, exempt)
    cause = replace(found.severity_cause, raised_by=raised_by, allowed_by=allowed_by)
    found = replace(found, chain=chain, severity_cause=cause)
    span = found.span
    cell, line = located(span.path, span.line)
    if cell is None or os.path.abspath(span.path) in exempt:
        return found
    first, last = _line(span.path, span.line, exempt), _line(span.path, max(span.line, span.end_line), exempt)
    # Columns and edits would be positions in the JSON text.
    return replace(
        found, span=Span(span.path, first, 1, last), message=f"cell {cell}, line {line}: {found.message}", fixes=()
    )


def _line(path: str, line: int, exempt: Collection[str]) -> int:
    notebook = notebook_at(path) if line else None
    return line if notebook is None or os.path.abspath(path) in exempt else notebook.line_in_file(line)


def _option_source(source: OptionSource | None, exempt: Collection[str]) -> OptionSource | None:
    return None if source is None else replace(source, line=_line(source.path, source.line, exempt))


def _error(error: FileError, exempt: Collection[str]) -> FileError:
    cell, line = located(error.path, error.line)
    if cell is None or os.path.abspath(error.path) in exempt:
        return error
    return FileError(error.path, _line(error.path, error.line, exempt), f"cell {cell}, line {line}: {error.message}")


def _unresolved(target: UnresolvedTarget, exempt: Collection[str]) -> UnresolvedTarget:
    cell, line = located(target.path, target.line)
    if cell is None or os.path.abspath(target.path) in exempt:
        return target
    explanation = f"cell {cell}, line {line}: {target.explanation}"
    return replace(target, line=_line(target.path, target.line, exempt), column=1, explanation=explanation)
