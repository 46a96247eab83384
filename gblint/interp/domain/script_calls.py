"""Calls of compiled objects at the top of a module, which see the values that the statements below them replace.

fast(x)              # sees the first values of `net.frozen` and `HARD`
net.frozen = HARD = True
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from weakref import WeakKeyDictionary

from gblint.interp.domain.access_paths import last_name
from gblint.project.modules import Module
from gblint.runtime import ast_walk

_CALLS: WeakKeyDictionary[ast.Module, list[tuple[int, str]]] = WeakKeyDictionary()
_COMPILED: WeakKeyDictionary[ast.Module, frozenset[str]] = WeakKeyDictionary()


def compiled_names(module: Module) -> frozenset[str]:
    """Return the names that the top of a module gives to what it compiles, by a decorator or by a call."""
    known = _COMPILED.get(module.tree)
    if known is None:
        found = _compiled_names(module.tree) if module.contains("compile") else ()
        known = _COMPILED[module.tree] = frozenset(found)
    return known


def _compiled_names(tree: ast.Module) -> Iterator[str]:
    for statement in _statements(tree):
        if isinstance(statement, ast.FunctionDef):
            if any(_names_compiler(each) for each in statement.decorator_list):
                yield statement.name
        elif isinstance(statement, ast.Assign) and _names_compiler(statement.value):
            yield from (each.id for each in statement.targets if isinstance(each, ast.Name))


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of a module, with those in its ``if __name__ == "__main__"`` and other blocks."""
    waiting: list[ast.AST] = [*reversed(tree.body)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast_walk.DEFINITIONS):
            waiting += [each for each in ast_walk.children(node) if not isinstance(each, ast.expr)]


def _names_compiler(node: ast.expr) -> bool:
    """Return whether an expression calls, or is, something such as ``torch.compile``."""
    return isinstance(node, (ast.Call, ast.Attribute)) and any(
        isinstance(each, (ast.Name, ast.Attribute)) and "compile" in last_name(each) for each in ast_walk.walk(node)
    )


def is_called_between(module: Module, start: int, end: int, names: Set[str]) -> bool:
    """Return whether a line between ``start`` and ``end`` calls one of the functions and objects ``names``.

    Code inside of functions and classes does not count.
    """
    return bool(names) and any(start < line < end and name in names for line, name in _calls(module.tree))


def _calls(tree: ast.Module) -> list[tuple[int, str]]:
    known = _CALLS.get(tree)
    if known is None:
        known = _CALLS[tree] = [
            (node.lineno, node.func.id)
            for statement in tree.body
            if not isinstance(statement, ast_walk.DEFINITIONS)
            for node in ast_walk.walk(statement)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ]
    return known
