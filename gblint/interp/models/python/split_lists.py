"""Lists that a method of a string returns.

Dynamo computes the method while it traces (``ConstantVariable.call_method``, torch/_dynamo/variables/constant.py). Its
result is a list without ``mutation_type``, which cannot be changed.
"""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.interp.domain.access_paths import access_path
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import element, is_text
from gblint.values.objects import FunctionNode

_SPLITTING = frozenset(("split", "rsplit", "splitlines"))
_CHANGING = frozenset(("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"))
# What ``_split_variables`` returns, by function.
_VARIABLES: WeakKeyDictionary[FunctionNode, dict[str, ast.expr]] = WeakKeyDictionary()


def check_call(interp: Interpreter, receiver: Seq, name: str, frame: Frame, node: ast.AST) -> None:
    """Report ``parts.pop()`` and other methods that change such a list."""
    function = node.func if isinstance(node, ast.Call) else None
    if name in _CHANGING and isinstance(function, ast.Attribute) and _is_split(interp, function.value, receiver, frame):
        interp.emit(frame, node, "operation", "list-of-text", ("unsupported-method-call",))


def check_store(interp: Interpreter, container: Value, target: ast.Subscript, frame: Frame) -> None:
    """Report ``parts[0] = text`` and ``del parts[0]``."""
    if _is_split(interp, target.value, container, frame):
        interp.emit(frame, target, "operation", "list-of-text", ("missing-mp-ass-subscript",))


def _is_split(interp: Interpreter, node: ast.expr, value: Value, frame: Frame) -> bool:
    """Return whether an expression is a list that a method of a string has made.

    After a graph break a list from before it is an input, which can be changed.
    """
    if not frame.mode.tracing or frame.function is None:
        return False
    made: ast.expr | None = node
    if isinstance(node, ast.Name):
        made = None if frame.summary.breaks else _split_variables(frame.function.node).get(node.id)
    text = None if made is None else _split_text(made)
    if text is None or not all(
        isinstance(each, Seq) and all(map(is_text, members(element(each)))) for each in members(value)
    ):
        return False
    return _is_text(interp, text, frame)


def _is_text(interp: Interpreter, node: ast.expr, frame: Frame) -> bool:
    """Return whether an expression is a string; nothing is called for it."""
    if isinstance(node, ast.JoinedStr) or access_path(node) is not None or isinstance(node, ast.Constant):
        return all(map(is_text, members(interp.eval(node, frame))))
    function = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(function, ast.Attribute) and hasattr(str, function.attr) and _is_text(interp, function.value, frame)
    )


def _split_text(node: ast.expr) -> ast.expr | None:
    """Return ``text`` for ``text.split(...)`` and its kin; None for other expressions."""
    function = node.func if isinstance(node, ast.Call) else None
    return function.value if isinstance(function, ast.Attribute) and function.attr in _SPLITTING else None


def _split_variables(function: FunctionNode) -> dict[str, ast.expr]:
    """Return the variables of a function that are bound once, to a call of a method such as ``split``."""
    known = _VARIABLES.get(function)
    if known is None:
        nodes = [] if isinstance(function, ast.Lambda) else ast_walk.walk_scope(function.body)
        stores = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        stores += [node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)]
        assigned = [node for node in nodes if isinstance(node, ast.Assign) and _split_text(node.value) is not None]
        known = _VARIABLES[function] = {
            target.id: node.value
            for node in assigned
            for target in node.targets
            if isinstance(target, ast.Name) and stores.count(target.id) == 1
        }
    return known
