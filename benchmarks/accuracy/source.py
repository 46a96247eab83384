"""The statement and the function at a line of a file."""

from __future__ import annotations

import ast
from pathlib import Path


class Source:
    """One file. If it cannot be parsed, each line counts as a statement, and no line is in a function."""

    def __init__(self, path: Path) -> None:
        self.exists = path.is_file()
        self._statements: dict[int, tuple[int, int]] = {}
        self._functions: dict[int, str] = {}
        self._text: list[str] = []
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError):
            return
        self._text = path.read_text(encoding="utf-8", errors="replace").splitlines()
        self._walk(tree, "<module>")

    def statement(self, line: int) -> tuple[int, int]:
        """Return the first and the last line of the statement at ``line``, or of the header of a compound statement."""
        return self._statements.get(line, (line, line))

    def function(self, line: int) -> str | None:
        """Return the name of the innermost function around ``line``, with its first line."""
        return self._functions.get(line)

    def text(self, line: int) -> str:
        """Return the line without its indentation."""
        return self._text[line - 1].strip() if line <= len(self._text) else ""

    def mentions_training(self, line: int) -> bool:
        """Return whether the statement at ``line`` depends on the mode (training or eval)."""
        first, last = self.statement(line)
        return any("training" in text for text in self._text[first - 1 : last])

    def _walk(self, node: ast.AST, function: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = function
            if isinstance(child, ast.stmt):
                span = (child.lineno, _header_end(child))
                for line in range(span[0], span[1] + 1):
                    self._statements[line] = span
                    self._functions[line] = function
                if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    inner = f"{function}.{child.name}:{child.lineno}"
            self._walk(child, inner)


def _header_end(node: ast.stmt) -> int:
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    if not body:
        return node.end_lineno or node.lineno
    first = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
    return max(first.lineno - 1, node.lineno)
