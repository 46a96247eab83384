"""Replacements for ``ast.walk`` and ``ast.iter_child_nodes`` that are several times as fast.

They leave out the nodes in ``ctx``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

# Fields without nodes, in all classes.  A constant has no nodes either.
_PLAIN = frozenset(("ctx", "id", "attr", "arg", "asname", "conversion", "kind", "level", "module", "rest", "simple"))
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""Statements that define a function or a class."""
_SCOPES = (*DEFINITIONS, ast.Lambda)
_fields: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def children(node: ast.AST) -> list[ast.AST]:
    """Return the children of ``node``."""
    found: list[ast.AST] = []
    _collect(node, found)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """Return ``node`` and all its descendants, parents before their children."""
    found = [node]
    for each in found:
        _collect(each, found)
    return found


def statements_in(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements directly inside ``node``, also those of its exception handlers and cases."""
    for child in children(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            yield from child.body


def walk_scope(roots: Iterable[ast.AST]) -> list[ast.AST]:
    """Return nodes and their descendants; of nested functions and classes only the definition itself."""
    found: list[ast.AST] = []
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, _SCOPES):
            waiting.extend(children(node))
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


def is_name(node: ast.AST, name: str) -> bool:
    """Return whether an expression is the variable ``name``."""
    return isinstance(node, ast.Name) and node.id == name


def has_decorator(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    """Return whether a function has the decorator ``@name``, without arguments."""
    return any(is_name(each, name) for each in function.decorator_list)
