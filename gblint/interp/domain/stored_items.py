"""Items that a function stores under keys that are not known, and reads again.

After ``table[key] = value`` the item ``table[key]`` is ``value`` as long as neither the table nor the variable ``key``
changes.  A table of functions may be filled on demand, too: ``if key not in table: table[key] = make(key)``. What the
function then reads in ``table[key]`` is what it has stored, or what an earlier call has made of the same key, whatever
other calls store under other keys.
"""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.interp.domain.access_paths import access_path
from gblint.interp.state.frame import Frame
from gblint.runtime import ast_origins, ast_text, ast_walk
from gblint.values.base import Const, Value, members
from gblint.values.objects import BoundMethod, Function, FunctionNode
from gblint.values.wrapped import Wrapped

# The texts ``table[key]`` of the items that a function fills.
_FILLED: WeakKeyDictionary[FunctionNode, frozenset[str]] = WeakKeyDictionary()


def store(target: ast.Subscript, index: Value, value: Value, frame: Frame) -> None:
    """Keep what is stored under a key that is not known, until ``forget``."""
    forget(target.value, frame)
    place = None if isinstance(index, Const) else _place(target)
    if place is not None:
        assert isinstance(target.slice, ast.Name)
        frame.refined.update((place[1:].partition(".")[0], target.slice.id))
        frame.scope.cells[place] = value
    functions = all(isinstance(each, (Function, BoundMethod, Wrapped)) for each in members(value))
    name = _variable(target, frame) if functions else ""
    if name:
        frame.variables[name] = value


def forget(table: ast.expr, frame: Frame) -> None:
    """Drop the items that were stored in a table, which has changed."""
    path = access_path(table) if frame.refined else None
    if path is not None:
        prefix = f"@{path.lstrip('@')}.["
        for place in [name for name in frame.variables if name.startswith(prefix)]:
            del frame.variables[place]


def _place(node: ast.Subscript) -> str | None:
    """Return the name under which the state has an item; None if the key is not a variable."""
    if not isinstance(node.slice, ast.Name):
        return None
    path = access_path(node.value)
    return None if path is None else f"@{path.lstrip('@')}.[{node.slice.id}]"


def load(node: ast.Subscript, index: Value, frame: Frame) -> Value | None:
    """Return what this call has stored in an item; None if it has stored nothing there."""
    place = _place(node) if frame.refined and not isinstance(index, Const) else None
    kept = None if place is None else frame.variables.get(place)
    if kept is not None:
        return kept
    name = _variable(node, frame)
    return frame.variables.get(name) if name else None


def _variable(node: ast.Subscript, frame: Frame) -> str:
    """Return the name under which the state has an item that the function fills; empty for other items."""
    if frame.mode.tracing or frame.function is None:
        return ""
    filled = _FILLED.get(frame.function.node)
    if filled is None:
        filled = _FILLED[frame.function.node] = frozenset(_filled(frame.function.node))
    text = ast_text.unparse(node) if filled else ""
    return f"[]{text}" if text in filled else ""


def _filled(function: FunctionNode) -> set[str]:
    """Return ``table[key]`` for each ``if key not in table`` whose body stores there what it makes of the key."""
    found: set[str] = set()
    for node in ast_walk.walk(function):
        test = node.test if isinstance(node, ast.If) else None
        if isinstance(node, ast.If) and isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn):
            item = ast_text.unparse(ast.Subscript(test.comparators[0], test.left, ast.Load()))
            key = ast_origins.names([test.left])
            for each in node.body:
                targets = each.targets if isinstance(each, ast.Assign) and key & ast_origins.names([each.value]) else []
                if any(isinstance(t, ast.Subscript) and ast_text.unparse(t) == item for t in targets):
                    found.add(item)
    return found
