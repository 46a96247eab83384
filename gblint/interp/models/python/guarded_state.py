"""State that a region changes and guards on, so that every call fails the guards of the one before."""

from __future__ import annotations

import ast

from gblint.diagnostics.break_event import Category
from gblint.interp.state.events import Emission
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Const, Scalar, Value, members
from gblint.values.objects import Class, Instance

_GROWING = ("append", "extend", "insert", "add", "appendleft")


def check_counter(interp: Interpreter, node: ast.AugAssign, old: Value, frame: Frame) -> None:
    """Report ``self.step += 1``, which reads the number and guards on it."""
    if frame.mode.tracing and _is_integer(old) and _is_kept(interp, node.target, frame):
        _recompiles(interp, frame, node, "counter")


def check_assignment(interp: Interpreter, node: ast.Assign, frame: Frame) -> None:
    """Report ``self.step = self.step + 1``."""
    value, target = node.value, node.targets[0]
    if not frame.mode.tracing or not isinstance(value, ast.BinOp) or isinstance(target, (ast.Tuple, ast.Name)):
        return
    if ast.unparse(value.left) == ast.unparse(target) and _is_kept(interp, target, frame):
        if _is_integer(interp.eval(value.left, frame)):
            _recompiles(interp, frame, node, "counter")


def check_growth(interp: Interpreter, node: ast.Call, method: str, frame: Frame) -> None:
    """Report ``self.history.append(x)``: the length of a list is guarded on."""
    if not frame.mode.tracing or method not in _GROWING or not isinstance(node.func, ast.Attribute):
        return
    place = node.func.value
    if _is_kept(interp, place, frame) and not _is_emptied(frame, ast.unparse(place)):
        _recompiles(interp, frame, node, "growing-list")


def _recompiles(interp: Interpreter, frame: Frame, node: ast.AST, subject: str) -> None:
    interp.emit_event(frame, node, Emission("recompile", subject, category=Category.RECOMPILE))


def _is_integer(value: Value) -> bool:
    """Return whether a value is an integer; floats become symbolic at the second call, integers of objects do not."""
    if isinstance(value, Const):
        return type(value.value) is int
    return isinstance(value, Scalar) and value.kind == "int" and value.origin == "python"


def _is_kept(interp: Interpreter, place: ast.expr, frame: Frame) -> bool:
    """Return whether the value at ``place`` survives until the next call."""
    if isinstance(place, ast.Name):
        if place.id in frame.names.outer_names:
            return frame.names.outer_names[place.id] is None
        function = frame.function
        return function is not None and frame.scope.lookup(place.id) is None
    if isinstance(place, ast.Attribute):
        base = interp.eval(place.value, frame)
        return isinstance(base, Class) or all(isinstance(v, Instance) and v.pre_existing for v in members(base))
    return isinstance(place, ast.Subscript) and _is_kept(interp, place.value, frame)


def _is_emptied(frame: Frame, place: str) -> bool:
    """Return whether the function also assigns ``place`` anew, removes items, or looks at it first."""
    body = frame.function.node if frame.function is not None else None
    for child in ast_walk.walk(body) if body is not None else ():
        if isinstance(child, ast.Assign) and any(ast.unparse(t) == place for t in child.targets):
            return True
        if isinstance(child, (ast.If, ast.While)) and place in ast.unparse(child.test):
            return True
        if isinstance(child, ast.Delete) and any(ast.unparse(t).startswith(place) for t in child.targets):
            return True
        if isinstance(child, ast.Attribute) and child.attr in ("clear", "pop", "popleft"):
            if ast.unparse(child.value) == place:
                return True
    return False
