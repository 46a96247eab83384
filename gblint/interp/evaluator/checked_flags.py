"""Flags of which a check in eager code tells the value: ``assert not fused``, ``if fused: raise ValueError``."""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Const, Scalar
from gblint.values.objects import Instance


def keep(interp: Interpreter, test: ast.expr, answer: bool, frame: Frame) -> None:
    """Store the values of the flags in a condition that always has the outcome ``answer`` where the code goes on.

    The flags are variables, and in a constructor also the attributes of the object: it exists only if they are so.
    Inside a ``try`` the code may go on after a check that fails.
    """
    if frame.mode.tracing or frame.flow.handlers:
        return
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        keep(interp, test.operand, not answer, frame)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is answer:
        for each in test.values:
            keep(interp, each, answer, frame)
    elif isinstance(test, ast.Name):
        if _is_flag(frame.variables.get(test.id)):
            frame.variables = {**frame.variables, test.id: Const(answer)}
    elif isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name) and _is_constructor(frame):
        owner = frame.variables.get(test.value.id)
        if isinstance(owner, Instance) and _is_flag(owner.attrs.get(test.attr)):
            interp.store_attribute(owner, test.attr, Const(answer))


def _is_flag(value: object) -> bool:
    return isinstance(value, Scalar) and value.kind == "bool" and value.origin == "python"


def _is_constructor(frame: Frame) -> bool:
    return frame.function is not None and frame.function.name.endswith("__init__")
