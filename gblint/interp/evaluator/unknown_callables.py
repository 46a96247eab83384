"""Callables of which nothing is known but their name and their arguments."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain.access_paths import root_name
from gblint.interp.domain.tensor_method_names import OF_TENSORS_WITH_DIMENSIONS
from gblint.interp.models.torch import nn_modules
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.events import span_of
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.path_conditions import DEFAULT, level_of
from gblint.interp.state.trace_ir import UnknownPartCall
from gblint.runtime.ast_walk import is_name
from gblint.values.base import GUESSED_INPUT, TRUE, UNKNOWN, Const, Scalar, Tensor, Value
from gblint.values.containers import Seq
from gblint.values.objects import BuiltinMethod, Class, Instance, is_nn_module

# Names of callables that return a loss.
_LOSSES: Final = frozenset(("closure", "crit", "criterion", "loss_fn", "loss_func", "loss_function"))


def tensor_method(node: ast.Call, args: Args, frame: Frame) -> Value | None:
    """Return the method of a tensor that the call of an unknown method stands for; None if it may be another one.

    Arrays have the methods as well, and Dynamo traces them as tensors. ``backend.sum(x)`` calls a function of a module.
    An item of a parameter is a tensor that comes in.
    """
    if not isinstance(node.func, ast.Attribute):
        return None
    name, receiver = node.func.attr, node.func.value
    if name not in OF_TENSORS_WITH_DIMENSIONS or args.star is not None or not all(map(_is_dimension, args.pos)):
        return None
    is_item = isinstance(receiver, ast.Subscript) and root_name(receiver) in frame.parameters
    return BuiltinMethod(GUESSED_INPUT if is_item else Tensor(proven=False), name)


def _is_dimension(value: Value) -> bool:
    """Return whether an argument is the number of a dimension, or a tuple of them."""
    if isinstance(value, Seq):
        return value.items is not None and all(map(_is_dimension, value.items))
    return isinstance(value, Scalar) or (isinstance(value, Const) and isinstance(value.value, (int, str)))


def called(interp: Interpreter, node: ast.Call, args: Args, frame: Frame) -> None:
    """Handle a call of an unknown function; a method may have a name that only those of modules have."""
    if not isinstance(node.func, ast.Attribute):
        return
    if node.func.attr == "compile" and nn_modules.compiles(args) and args.kw.get("disable") != TRUE:
        interp.note_unknown(frame, node, node.func.value, UNKNOWN, "method")
        frame.note_compiled_parameter(node.func.value)
        if isinstance(node.func.value, ast.Name) and node.func.value.id in frame.parameters:
            interp.compilation.follow_callers(frame)
    if node.func.attr in nn_modules.HOOKS:
        interp.emit(frame, node, "hook", node.func.attr, nn_modules.HOOKS[node.func.attr], likely=True)
    if frame.mode.tracing and frame.module.origin != "library":
        _note_part(interp, node, node.func, frame)


def _note_part(interp: Interpreter, node: ast.Call, callee: ast.Attribute, frame: Frame) -> None:
    """Note ``self.part(x)`` in a method of a module, unless only an option or an error leads there."""
    if not is_name(callee.value, "self") or level_of(frame.conditions.path) > DEFAULT:
        return
    module = interp.eval(callee.value, frame)
    if isinstance(module, Instance) and isinstance(module.cls, Class) and is_nn_module(module) and module.cls.complete:
        cls = module.cls
        note = UnknownPartCall(cls.module.name, cls.name, callee.attr, span_of(frame.module, node))
        frame.summary.notes[note] = None


def returns_tensor(ctx: CallContext) -> bool:
    """Return whether a callable that came in mostly returns a tensor.

    A tensor is passed to it, as to a model or an objective, or its name is that of a loss.
    """
    if not isinstance(ctx.node, ast.Call):
        return False
    called = ctx.node.func
    if not any(type(value) is Tensor for value in ctx.args.pos):
        return isinstance(called, ast.Name) and called.id in _LOSSES and called.id in ctx.frame.variables
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return isinstance(ctx.frame.variables.get(called.value.id), Instance)
    return isinstance(called, ast.Name) and called.id in ctx.frame.variables
