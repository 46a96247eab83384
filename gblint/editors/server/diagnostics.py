"""Diagnostics of the protocol, made from findings and from errors in files and in the configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types

from gblint.config.errors import Problem
from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.editors.server.documents import Documents, split
from gblint.editors.server.jobs import Answer
from gblint.editors.server.merge_results import absolute
from gblint.editors.server.nearby import seen_from
from gblint.editors.server.pages import page_of
from gblint.editors.server.positions import Encoding
from gblint.project.source_text import Source, display_path, notebook_at, unsaved
from gblint.report.finding_notes import FindingNotes
from gblint.report.notebooks import in_files
from gblint.report.unresolved import CODE as NOT_ANALYSED
from gblint.runtime.lazy_dataclasses import dataclass

SOURCE = "gblint"
_SEVERITY = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
# Findings about code without effect.
_WITHOUT_EFFECT = frozenset(
    ("compile-result-unused", "compile-undone", "redundant-error-toggle", "unknown-setting", "compile-in-region")
)
LONGEST_CHAIN = 20


@dataclass(frozen=True, slots=True)
class DiagnosticFactory:
    """Factory of the diagnostics for one client."""

    encoding: Encoding
    documents: Documents
    related: bool
    tags: bool
    links: bool

    def all(self, answer: Answer) -> dict[str, list[types.Diagnostic]]:
        """Return the diagnostics of each file, by absolute path, and of each cell of an open notebook, by URI."""
        lines = self.reader()
        found: dict[str, list[types.Diagnostic]] = {}
        # A closed notebook is treated like any file: its diagnostics have line numbers of the JSON text.
        errors = [*answer.broken, *answer.errors]
        report = Report("", findings=answer.findings, errors=errors, unresolved=answer.unresolved)
        report, _ = in_files(report, Source(), unsaved)
        notes = FindingNotes(answer.findings, report.findings)
        for finding in report.findings:
            self._put(found, absolute(finding.span.path), self._finding(finding, notes, lines))
        for error in report.errors:
            path = absolute(error.path)
            if Path(path).is_file() or self.documents.at(path) is not None:
                self._put(found, path, self._error(path, error, lines))
        for target in report.unresolved:
            self._put(found, absolute(target.path), self._unresolved(target, lines))
        for problem in answer.problems:
            if Path(problem.where).is_file():
                found.setdefault(absolute(problem.where), []).append(self._problem(problem, lines))
        return found

    def _put(self, found: dict[str, list[types.Diagnostic]], path: str, diagnostic: types.Diagnostic) -> None:
        key, diagnostic.range = self.documents.home(path, diagnostic.range)
        found.setdefault(key, []).append(diagnostic)

    def reader(self) -> Callable[[str], Sequence[str]]:
        """Return a function that reads the lines of a file, from the editor if it is open."""
        source = Source()

        def lines(path: str) -> Sequence[str]:
            document, notebook = self.documents.at(absolute(path)), notebook_at(path)
            if document is not None:
                return document.lines
            return source.lines(path) if notebook is None else split(notebook.raw)

        return lines

    def finding(self, finding: Finding, notes: FindingNotes, lines: Callable[[str], Sequence[str]]) -> types.Diagnostic:
        """Return the diagnostic of a finding, equal to the one that was sent before."""
        diagnostic = self._finding(finding, notes, lines)
        _, diagnostic.range = self.documents.home(absolute(finding.span.path), diagnostic.range)
        return diagnostic

    def _finding(
        self, finding: Finding, notes: FindingNotes, lines: Callable[[str], Sequence[str]]
    ) -> types.Diagnostic:
        page = page_of(finding.code) if self.links else None
        return types.Diagnostic(
            self.encoding.range(finding.span, lines(finding.span.path)),
            "\n".join([finding.message, *notes.lines(finding, seen_from(finding.span.path))]),
            _SEVERITY[finding.severity],
            finding.code,
            None if page is None else types.CodeDescription(page),
            SOURCE,
            [types.DiagnosticTag.Unnecessary] if self.tags and finding.rule in _WITHOUT_EFFECT else None,
            list(self._related(finding, lines)) or None if self.related else None,
        )

    def _related(
        self, finding: Finding, lines: Callable[[str], Sequence[str]]
    ) -> Iterator[types.DiagnosticRelatedInformation]:
        """Yield the call chain from the entry point, and the line that makes the break an error or allows it."""
        chain = finding.chain[:LONGEST_CHAIN]
        for number, link in enumerate(chain):
            here = (absolute(link.path), link.line) == (absolute(finding.span.path), finding.span.line)
            if number == len(chain) - 1 and here:
                continue
            what = "breaks in" if link is finding.chain[-1] else "called from"
            yield self._place(link.path, link.line, f"{what} `{link.function}`", lines)
        for source, what in (
            (finding.raised_by, "turns the break into an error"),
            (finding.allowed_by, "allows the break"),
        ):
            if source is not None:
                yield self._place(source.path, source.line, f"`{source.option}` {what}", lines)

    def _place(
        self, path: str, line: int, message: str, lines: Callable[[str], Sequence[str]]
    ) -> types.DiagnosticRelatedInformation:
        key, place = self.documents.home(absolute(path), self.encoding.line(line, lines(path)))
        return types.DiagnosticRelatedInformation(types.Location(self.documents.address(key)[0], place), message)

    def _error(self, path: str, error: FileError, lines: Callable[[str], Sequence[str]]) -> types.Diagnostic:
        where = self.encoding.line(max(error.line, 1), lines(path))
        message = f"not analysed: {error.message}"
        return types.Diagnostic(where, message, types.DiagnosticSeverity.Error, source=SOURCE)

    def _unresolved(self, target: UnresolvedTarget, lines: Callable[[str], Sequence[str]]) -> types.Diagnostic:
        where = self.encoding.line(max(target.line, 1), lines(target.path))
        return types.Diagnostic(where, target.message, types.DiagnosticSeverity.Hint, NOT_ANALYSED, source=SOURCE)

    def _problem(self, problem: Problem, lines: Callable[[str], Sequence[str]]) -> types.Diagnostic:
        text = lines(problem.where)
        where = self.encoding.line(max(problem.line, 1), text)
        return types.Diagnostic(where, problem.message, types.DiagnosticSeverity.Error, source=SOURCE)


def summary(answer: Answer, folder: Path) -> str:
    """Return a line about a project for the log."""
    breaks = sum(found.category is Category.GRAPH_BREAK for found in answer.findings)
    return f"{display_path(str(folder))}: {len(answer.entries)} entry points, {breaks} graph breaks"
