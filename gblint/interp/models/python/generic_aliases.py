"""Generic aliases made at run time: ``list[int]``, ``Box[int](2)``."""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Tensor, Value, members
from gblint.values.objects import Class, ExternalName
from gblint.values.wrapped import GenericAlias

_CONTAINERS = (
    *(f"builtins.{name}" for name in ("list", "dict", "tuple", "set", "frozenset")),
    *(f"collections.{name}" for name in ("OrderedDict", "defaultdict", "deque", "Counter")),
)


def _is_generic(base: Value) -> bool:
    if isinstance(base, Class):
        return base.inherits("typing.Generic", *_CONTAINERS)
    if not isinstance(base, ExternalName):
        return False
    return base.name.startswith("typing.") or base.name == "builtins.type" or base.name in _CONTAINERS


def subscripted(interp: Interpreter, base: ExternalName | Class, index: Value, frame: Frame, node: ast.AST) -> Value:
    """``base[index]`` for a class or a name from ``typing``."""
    if not frame.mode.tracing or not _is_generic(base):
        return base
    if any(isinstance(v, Tensor) for v in members(index)):
        typed = isinstance(base, ExternalName) and base.name.startswith("typing.")
        interp.emit(
            frame,
            node,
            "operation",
            "annotation",
            ("non-constant-typing-subscript",) if typed else ("missing-mp-subscript",),
            about=index,
        )
    return GenericAlias(base)


def called(interp: Interpreter, function: Value, frame: Frame, node: ast.AST) -> Value:
    """Return the class that ``list[int](...)`` calls."""
    if not isinstance(function, GenericAlias):
        return function
    if isinstance(function.function, Class):
        interp.emit(
            frame,
            node,
            "operation",
            "annotation",
            ("unexpected-type-in-sourceless-builder", "unsupported-function-call"),
        )
    elif isinstance(function.function, ExternalName):
        interp.emit(frame, node, "operation", "annotation", ("unsupported-function-call",))
    return function.function


def as_key(value: Value, node: ast.expr, frame: Frame) -> Value:
    """Report a key of a dict or a member of a set made outside the region."""
    generic = isinstance(node, ast.Subscript) and not frame.mode.tracing and isinstance(value, ExternalName)
    return GenericAlias(value) if generic and _is_generic(value) else value
