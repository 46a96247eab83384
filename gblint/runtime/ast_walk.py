"""The nodes of a syntax tree below another.

Like ``ast.walk`` and ``ast.iter_child_nodes``, several times as quick; the ``ctx`` of names, of which nothing is to be
learned that it has not said itself, is left out.
"""

from __future__ import annotations

import ast

# The fields that hold no nodes, whatever they are fields of; that of a constant holds none either.
_PLAIN = frozenset(("ctx", "id", "attr", "arg", "asname", "conversion", "kind", "level", "module", "rest", "simple"))
_fields: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below ``node``."""
    found: list[ast.AST] = []
    _collect(node, found)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """``node`` and all nodes below it, those higher up first."""
    found = [node]
    for each in found:
        _collect(each, found)
    return found


def _collect(node: ast.AST, found: list[ast.AST]) -> None:
    kind = type(node)
    names = _fields.get(kind)
    if names is None:
        names = _fields[kind] = tuple([name for name in kind._fields if name not in _PLAIN])
    for name in names:
        value = getattr(node, name, None)
        if isinstance(value, list):
            for each in value:
                if isinstance(each, ast.AST):
                    found.append(each)
        elif isinstance(value, ast.AST):
            found.append(value)
