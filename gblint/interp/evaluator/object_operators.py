"""Operators of objects whose classes define the methods: ``__add__``, ``__rmatmul__``, ``__invert__``."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.models.torch import operand_checks
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Value
from gblint.values.objects import Class, Function, Instance

_METHODS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
_UNARY: Final[dict[type[ast.unaryop], str]] = {
    ast.USub: "__neg__",
    ast.UAdd: "__pos__",
    ast.Invert: "__invert__",
}


def own_method(
    interp: Interpreter, op: ast.operator, a: Instance, b: Value, frame: Frame, node: ast.AST
) -> Value | None:
    """Call ``a.__add__(b)``."""
    return _special_method(interp, op, "", a, b, frame, node)


def reflected_method(
    interp: Interpreter, op: ast.operator, a: Value, b: Instance, frame: Frame, node: ast.AST
) -> Value | None:
    """Call ``b.__radd__(a)``."""
    return _special_method(interp, op, "r", b, a, frame, node)


def in_place(interp: Interpreter, op: ast.operator, a: Instance, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    """Call ``a.__iadd__(b)``."""
    return _special_method(interp, op, "i", a, b, frame, node)


def _special_method(
    interp: Interpreter, op: ast.operator, prefix: str, receiver: Instance, other: Value, frame: Frame, node: ast.AST
) -> Value | None:
    name = f"__{prefix}{_METHODS[type(op)]}__"
    function = interp.class_attribute(receiver.cls, name) if isinstance(receiver.cls, Class) else None
    if not isinstance(function, Function):
        return None
    operand_checks.check_object(interp, op, receiver, other, frame, node)
    return interp.call(function, Args((receiver, other)), frame, node)


def unary(interp: Interpreter, op: ast.unaryop, value: Instance, frame: Frame, node: ast.AST) -> Value | None:
    """Call ``value.__neg__()``; None if the class does not define it."""
    method = interp.class_attribute(value.cls, _UNARY[type(op)]) if isinstance(value.cls, Class) else None
    if method is None:
        return None
    if isinstance(op, ast.Invert):
        operand_checks.check_inverted(interp, value, frame, node)
    return interp.call(method, Args((value,)), frame, node)
