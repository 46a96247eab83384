"""Tables of functions that a function fills on demand: ``if key not in table: table[key] = make(key)``.

What the function then reads in ``table[key]`` is what it has stored, or what an earlier call has made of the same key,
whatever other calls store under other keys.
"""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.interp.state.frame import Frame
from gblint.runtime import ast_origins, ast_text, ast_walk
from gblint.values.base import Value, members
from gblint.values.objects import BoundMethod, Function, FunctionNode
from gblint.values.wrapped import Wrapped

# The texts ``table[key]`` of the items that a function fills.
_FILLED: WeakKeyDictionary[FunctionNode, frozenset[str]] = WeakKeyDictionary()


def store(target: ast.Subscript, value: Value, frame: Frame) -> None:
    """Keep a function that is stored under a key which the table lacks; outside of the region only."""
    functions = all(isinstance(each, (Function, BoundMethod, Wrapped)) for each in members(value))
    name = _variable(target, frame) if functions else ""
    if name:
        frame.variables[name] = value


def load(node: ast.Subscript, frame: Frame) -> Value | None:
    """Return what this call has stored in an item; None if it has stored nothing there."""
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
