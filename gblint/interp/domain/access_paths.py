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


def table_of_default(node: ast.expr) -> ast.Attribute | None:
    """Return ``table.setdefault`` of the call ``table.setdefault(key, [])``; None for any other expression."""
    function = node.func if isinstance(node, ast.Call) and node.args else None
    return function if isinstance(function, ast.Attribute) and function.attr == "setdefault" else None


def root_of_table(node: ast.expr) -> str:
    """Return the variable whose item is stored: ``t`` for ``t[a][b]`` and ``t.setdefault(a, {})[b]``; "" if none is."""
    while isinstance(node, ast.Subscript) or table_of_default(node) is not None:
        default = table_of_default(node)
        node = node.value if isinstance(node, ast.Subscript) else default.value if default is not None else node
    return node.id if isinstance(node, ast.Name) else ""


def last_name(node: ast.expr) -> str:
    """Return the last part of a dotted name: ``compile`` for ``torch.compile``; "" for other expressions."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
