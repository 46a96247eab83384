"""Tables of a module that a function fills: each key in the first call that asks for it.

if key not in TABLE:                value = TABLE.get(key)          if key in TABLE:
    TABLE[key] = make(key)          if value is None:                   return TABLE[key]
                                        value = TABLE[key] = make(key)  value = TABLE[key] = make(key)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.containers import Mapping
from gblint.values.objects import FunctionNode

# The variables of a function that hold ``TABLE.get(key)``, with the table and the key.
_LOOKED_UP: WeakKeyDictionary[FunctionNode, dict[str, tuple[str, ast.expr]]] = WeakKeyDictionary()
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def filling_outcome(interp: Interpreter, node: ast.If, frame: Frame) -> bool | None:
    """Return the outcome of an ``if`` after which the function fills a table; None if it fills none there."""
    asked = _asked(node.test, frame)
    if asked is None:
        return None
    table, key, lacks = asked
    if table in frame.variables or not _fills(node, lacks, table, ast.dump(key), frame):
        return None
    value = interp.eval(ast.Name(table, ast.Load()), frame)
    return lacks if isinstance(value, Mapping) and value.rest is not None else None


def _asked(test: ast.expr, frame: Frame) -> tuple[str, ast.expr, bool] | None:
    """Return the table and the key that a condition asks for, and the outcome if the table lacks the key."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        asked = _asked(test.operand, frame)
        return None if asked is None else (asked[0], asked[1], not asked[2])
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        operator, right = test.ops[0], test.comparators[0]
        if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, ast.Name):
            return right.id, test.left, isinstance(operator, ast.NotIn)
        if isinstance(operator, (ast.Is, ast.IsNot)) and isinstance(right, ast.Constant) and right.value is None:
            found = _looked_up(test.left, frame)
            return None if found is None else (*found, isinstance(operator, ast.Is))
        return None
    found = _looked_up(test, frame)
    return None if found is None else (*found, False)


def _looked_up(node: ast.expr, frame: Frame) -> tuple[str, ast.expr] | None:
    """Return the table and the key of ``TABLE.get(key)``, which ``node`` is or names."""
    if isinstance(node, ast.NamedExpr):
        return _looked_up(node.value, frame)
    if isinstance(node, ast.Call):
        method = node.func if isinstance(node.func, ast.Attribute) and node.func.attr == "get" else None
        if method is not None and isinstance(method.value, ast.Name) and len(node.args) == 1 and not node.keywords:
            return method.value.id, node.args[0]
        return None
    if not isinstance(node, ast.Name) or frame.function is None:
        return None
    known = _LOOKED_UP.get(frame.function.node)
    if known is None:
        known = _LOOKED_UP[frame.function.node] = dict(_variables(frame))
    return known.get(node.id)


def _variables(frame: Frame) -> Iterator[tuple[str, tuple[str, ast.expr]]]:
    """Yield the variables to which the function assigns ``TABLE.get(key)``, each with the table and the key."""
    if frame.function is None or not frame.module.contains(".get("):
        return
    for node in ast_walk.walk(frame.function.node):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            found, target = _looked_up(node.value, frame), node.targets[0]
            if found is not None and isinstance(target, ast.Name):
                yield target.id, found


def _fills(node: ast.If, lacks: bool, table: str, key: str, frame: Frame) -> bool:
    """Return whether the side of ``node`` on which the table lacks the key stores a result for it, or what follows."""
    body, other = (node.body, node.orelse) if lacks else (node.orelse, node.body)
    inside = [inner for each in body for inner in ast_walk.walk(each)]
    if other and isinstance(other[-1], _LEAVES) and frame.function is not None:
        start = getattr(other[-1], "end_lineno", None) or other[-1].lineno
        inside += [each for each in ast_walk.walk(frame.function.node) if getattr(each, "lineno", 0) > start]
    # A constant is no result to look up: it only notes that something was done, as warnings that are given once do.
    stores = (each for each in inside if isinstance(each, ast.Assign) and not isinstance(each.value, ast.Constant))
    targets = (target for each in stores for target in each.targets)
    return any(
        isinstance(each, ast.Subscript) and is_name(each.value, table) and ast.dump(each.slice) == key
        for each in targets
    )
