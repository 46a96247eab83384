"""Access paths: the names under which variables and their attributes are tracked."""

from __future__ import annotations

import ast


def place_of(node: ast.expr) -> str | None:
    """Return the access path of a variable or attribute (``x``, ``@self.x``, ``@self.a.b``); None for other nodes."""
    kind = type(node)
    if kind is ast.Name:
        return node.id  # type: ignore[attr-defined, no-any-return]
    if kind is ast.NamedExpr:
        return place_of(node.target)  # type: ignore[attr-defined]
    if kind is not ast.Attribute:
        return None
    # Computed for each attribute access, and therefore cached on the node.
    known: str | None = node.__dict__.get("place", "")
    if known == "":
        base = place_of(node.value)  # type: ignore[attr-defined]
        known = None if base is None else f"@{base.lstrip('@')}.{node.attr}"  # type: ignore[attr-defined]
        node.place = known  # type: ignore[attr-defined]
    return known
