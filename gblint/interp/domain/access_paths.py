"""Access paths, the names under which variables and their attributes are tracked; and parts of dotted names."""

from __future__ import annotations

import ast


def access_path(node: ast.expr) -> str | None:
    """Return the access path of a variable or attribute (``x``, ``@self.x``, ``@self.a.b``); None for other nodes."""
    kind = type(node)
    if kind is ast.Name:
        return node.id  # type: ignore[attr-defined, no-any-return]
    if kind is ast.NamedExpr:
        return access_path(node.target)  # type: ignore[attr-defined]
    if kind is not ast.Attribute:
        return None
    # Computed for each attribute access, and therefore cached on the node.
    known: str | None = node.__dict__.get("place", "")
    if known == "":
        base = access_path(node.value)  # type: ignore[attr-defined]
        known = None if base is None else f"@{base.lstrip('@')}.{node.attr}"  # type: ignore[attr-defined]
        node.place = known  # type: ignore[attr-defined]
    return known


def root_name(node: ast.expr) -> str:
    """Return the variable at the root of an expression: ``model`` for ``model.layers[0]``; "" if there is none."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def last_name(node: ast.expr) -> str:
    """Return the last part of a dotted name: ``compile`` for ``torch.compile``; "" for other expressions."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
