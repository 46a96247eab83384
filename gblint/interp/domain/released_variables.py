"""Variables that are set to None once they are no longer needed: ``model = None`` at the end of a test.

Functions that read such a variable are called before.
"""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# The names that a body releases, and where, by function or module.
_RELEASED: WeakKeyDictionary[ast.AST, frozenset[tuple[str, int]]] = WeakKeyDictionary()


def is_released(owner: ast.AST, target: ast.expr) -> bool:
    """Return whether ``target = None`` in the body of ``owner`` only releases a variable that functions read.

    owner: a function or a module.

    Nothing below reads the variable, or one of these functions, or what was computed with them.
    """
    if not isinstance(target, ast.Name):
        return False
    known = _RELEASED.get(owner)
    if known is None:
        known = _RELEASED[owner] = frozenset(_released(owner))
    return (target.id, target.lineno) in known


def is_none(node: ast.expr | None) -> bool:
    """Return whether ``node`` is the constant None."""
    return isinstance(node, ast.Constant) and node.value is None


@dataclass(frozen=True, slots=True)
class _Statement:
    """The names that one statement of a body reads and binds.

    ``nested`` are the names that functions in it read, and ``functions`` the names by which these are called.
    """

    reads: frozenset[str]
    targets: frozenset[str]
    nested: frozenset[str]
    functions: frozenset[str]


def _released(owner: ast.AST) -> list[tuple[str, int]]:
    body = getattr(owner, "body", None)
    if not isinstance(body, list):
        return []
    stores = [(index, s) for index, s in enumerate(body) if isinstance(s, ast.Assign) and is_none(s.value)]
    if not stores:
        return []
    parts = [_parts(statement) for statement in body]
    found = []
    for index, statement in stores:
        names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
        found += [(n, statement.lineno) for n in names if _only_releases(n, parts[:index], parts[index + 1 :])]
    return found


def _parts(statement: ast.stmt) -> _Statement:
    nodes = ast_walk.walk(statement)
    functions = [node for node in nodes if isinstance(node, _FUNCTIONS)]
    names = {node.name for node in functions if not isinstance(node, ast.Lambda)}
    if isinstance(statement, ast.ClassDef):
        names.add(statement.name)
    targets = frozenset(node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    if any(isinstance(node, ast.Lambda) for node in functions):
        names |= targets
    nested = frozenset().union(*map(_reads, functions))
    is_plain = isinstance(statement, (ast.Assign, ast.AnnAssign))
    return _Statement(_reads(statement), targets if is_plain else frozenset(), nested, frozenset(names))


def _only_releases(name: str, above: list[_Statement], below: list[_Statement]) -> bool:
    """Return whether functions above read the variable, and nothing below reads it or depends on them."""
    if any(name in each.reads for each in below):
        return False
    readers: set[str] = set()
    for each in above:
        if name in each.nested:
            readers |= each.functions
        if not readers.isdisjoint(each.reads):
            readers |= each.targets
    return bool(readers) and all(readers.isdisjoint(each.reads) for each in below)


def _reads(node: ast.AST) -> frozenset[str]:
    return frozenset(n.id for n in ast_walk.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
