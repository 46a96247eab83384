"""Functions as they are written, without their decorators."""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.objects import Function, FunctionNode, Scope


def as_written(interp: Interpreter, node: FunctionNode, frame: Frame) -> Function:
    """Return the function of a ``def`` or a lambda in ``frame``, without its decorators."""
    return Function(
        node,
        frame.module,
        _qualname(node, frame),
        _scope_of(frame),
        frame.class_body,
        tuple(interp.eval(d, frame) for d in node.args.defaults),
        tuple(None if d is None else interp.eval(d, frame) for d in node.args.kw_defaults),
    )


def _scope_of(frame: Frame) -> Scope | None:
    """Return the scope over which a function defined in ``frame`` closes; None at the top of a module."""
    if frame.class_body is not None:
        return frame.class_body.scope
    return None if frame.function is None else frame.scope


def _qualname(node: FunctionNode, frame: Frame) -> str:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    if frame.class_body is not None:
        return f"{frame.class_body.name}.{name}"
    if frame.function is not None:
        return f"{frame.function.name}.{name}"
    return name
