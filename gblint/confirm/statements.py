"""Statements and functions by line of a file."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gblint.diagnostics.span import Span
from gblint.project.source_text import Source


@dataclass(frozen=True, slots=True)
class FunctionLines:
    """A function, its bare name and its lines; the module itself is ``<module>``."""

    name: str
    first: int
    last: int

    def holds(self, line: int) -> bool:
        """Return whether a line is in the function."""
        return self.first <= line <= self.last


@dataclass(frozen=True)
class SourceFile:
    """Statements and functions of one file; a compound statement covers the lines of its head only."""

    text: str
    _statements: dict[int, Span] = field(default_factory=dict)
    _functions: dict[int, FunctionLines] = field(default_factory=dict)

    def statement(self, line: int) -> Span:
        """Return the statement at a line, as a span without a path."""
        return self._index[0].get(line) or Span("", line, 1, line, 1)

    def function(self, line: int) -> FunctionLines:
        """Return the innermost function at a line."""
        return self._index[1].get(line) or FunctionLines("<module>", 1, max(self.text.count("\n") + 1, line))

    @cached_property
    def _index(self) -> tuple[Mapping[int, Span], Mapping[int, FunctionLines]]:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            self._walk(ast.parse(self.text), None)
        return self._statements, self._functions

    def _walk(self, node: ast.AST, function: FunctionLines | None) -> None:
        for child in ast.iter_child_nodes(node):
            inner = function
            if isinstance(child, ast.stmt):
                self._add_statement(child, function)
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = FunctionLines(child.name, child.lineno, child.end_lineno or child.lineno)
            self._walk(child, inner)

    def _add_statement(self, statement: ast.stmt, function: FunctionLines | None) -> None:
        """Enter the lines of a statement, or of the head of a compound one."""
        end, column = statement.end_lineno or statement.lineno, statement.end_col_offset or 0
        body = getattr(statement, "body", None) or getattr(statement, "cases", None)
        if body:
            first = getattr(body[0], "lineno", None) or body[0].pattern.lineno
            if first - 1 < end:
                end, column = max(first - 1, statement.lineno), 0
        # The tree counts columns in bytes, spans in characters: the difference affects only the marks in a report.
        span = Span("", statement.lineno, statement.col_offset + 1, end, column + 1 if column else 0)
        for line in range(span.line, span.end_line + 1):
            self._statements[line] = span
            if function is not None:
                self._functions[line] = function


class SourceFiles:
    """Source files by path, each read once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._files: dict[str, SourceFile] = {}

    def __getitem__(self, path: str) -> SourceFile:
        if path not in self._files:
            self._files[path] = SourceFile(self.source.text(path))
        return self._files[path]
