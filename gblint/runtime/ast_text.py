"""The source text of AST nodes of any depth."""

from __future__ import annotations

import ast


def unparse(node: ast.AST) -> str:
    """Return ``ast.unparse(node)``; for an expression nested too deeply, a text with its place in the file."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return f"<expression at {getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0) + 1}>"
