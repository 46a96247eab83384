"""Calls of objects: the ``forward`` of a module with its hooks, or ``__call__``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gblint.interp.domain import call_state, free_variables, unusual_stores
from gblint.interp.models import external_calls
from gblint.interp.models.torch import compiler_decorators, distributions, nn_module_hooks
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.compilation import CompiledCall, CompiledObject, own_forward
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import UNKNOWN, Value
from gblint.values.lattice import join
from gblint.values.objects import BoundMethod, Class, Function, Instance, is_nn_module
from gblint.values.wrapped import Wrapped


def call_instance(interp: Interpreter, instance: Instance, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Call an object: ``forward`` with its hooks for a module."""
    if not frame.mode.tracing and is_nn_module(instance):
        compiled = interp.compilation.compiled_in_place(instance)
        if compiled is not None:
            ctx = CallContext(interp, args, frame, node)
            return call_compiled(ctx, compiled, instance, lambda: _with_hooks(interp, instance, args, frame, node))
    return _with_hooks(interp, instance, args, frame, node)


def call_compiled(ctx: CallContext, compiled: CompiledObject, value: Value, run: Callable[[], Value]) -> Value:
    """Run the code of a compiled object that eager code calls, and note the call."""
    frame = ctx.frame
    ctx.interp.calls.settled.events += 1
    if frame.mode.eager_source is not None:
        compiled.eager.append(frame.mode.eager_source)
        return run()
    free = free_variables.values_of(ctx.interp, value)
    compiled.called(CompiledCall(ctx.args, value, frame.module, ctx.node, frame.summary.function, frame.mode, free))
    call_state.note_used(ctx.interp, (value.receiver if isinstance(value, BoundMethod) else value, *ctx.args.pos))
    with call_state.eager_call(ctx.interp):
        return run()


def _with_hooks(interp: Interpreter, instance: Instance, args: Args, frame: Frame, node: ast.AST) -> Value:
    nn_module_hooks.before(CallContext(interp, args, frame, node), instance)
    result = _call_instance(interp, instance, args, frame, node)
    return nn_module_hooks.after(CallContext(interp, args, frame, node), instance, result)


def _call_instance(interp: Interpreter, instance: Instance, args: Args, frame: Frame, node: ast.AST) -> Value:
    if isinstance(instance.cls, Class):
        if frame.mode.tracing and compiler_decorators.class_is_disabled(interp, instance.cls):
            interp.emit(frame, node, "disabled-call", instance.cls.name, ("skip-inlining-disabled-function",))
            return interp.call_eagerly(instance, args, frame, node)
        method = interp.class_attribute(instance.cls, "__call__")
        if isinstance(method, (Function, Wrapped)):
            return interp.call(method, args.prepend(instance), frame, node)
        if is_nn_module(instance):
            return _call_module(interp, instance, args, frame, node)
        return distributions.call_transform(CallContext(interp, args, frame, node), instance)
    return _call_module(interp, instance, args, frame, node)


def _call_module(interp: Interpreter, module: Instance, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Call the ``forward`` that a module has of its own, or of its class; both if a condition decides."""
    own = own_forward(module)
    if own is None:
        return _call_class_forward(interp, module, args, frame, node)
    if not frame.mode.tracing or not unusual_stores.is_conditional(interp, module, "forward"):
        return _call_forward(interp, own, args, frame, node)
    result = _call_class_forward(interp, module, args, frame, node)
    branch = interp.enter_branch()
    try:
        with unusual_stores.called(interp, module, "forward", frame):
            return join(result, _call_forward(interp, own, args, frame, node))
    finally:
        interp.branch_id = branch


def _call_class_forward(interp: Interpreter, module: Instance, args: Args, frame: Frame, node: ast.AST) -> Value:
    method = interp.class_attribute(module.cls, "forward") if isinstance(module.cls, Class) else None
    if isinstance(method, (Function, Wrapped)):
        return _call_forward(interp, method, args.prepend(module), frame, node)
    return external_calls.call_module(CallContext(interp, args, frame, node), module)


def _call_forward(interp: Interpreter, forward: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Call the ``forward`` of a module, while the project is searched with a budget of its own."""
    call = interp.budget.begin_in_search(frame.mode)
    if call is None:
        return interp.call(forward, args, frame, node)
    try:
        result = interp.call(forward, args, frame, node)
        if not interp.budget.is_truncated:
            return result
        while isinstance(forward, (Wrapped, BoundMethod)):
            forward = forward.function
        if isinstance(forward, Function):
            interp.budget.note_unproductive(forward, {})
        return UNKNOWN
    finally:
        interp.budget.end(call)
