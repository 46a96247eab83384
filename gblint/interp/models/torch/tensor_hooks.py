"""Hooks on tensors: Dynamo traces a hook on a tensor computed in the region for the backward pass."""

from __future__ import annotations

import ast

from gblint.interp.domain import callables
from gblint.interp.models.torch import captured_functions
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import Tensor, Value, members
from gblint.values.containers import Seq
from gblint.values.objects import Class, ExternalObject, Function, Instance, is_nn_module

HANDLE = "torch.utils.hooks.RemovableHandle"
OF_COMPUTED = f"{HANDLE}:computed"
"""The class of the handle of a hook on a tensor that was computed in the region: Dynamo cannot pass it on."""

# ``_autograd_backward_strict_mode_banned_ops`` and ``.._conditional_banned_ops`` of torch/_dynamo/config.py.
_BANNED = frozenset(("layout", "is_neg", "is_conj", "is_pinned"))
_LAYOUT = frozenset(("stride", "storage_offset", "is_contiguous"))


def register(ctx: CallContext, tensor: Tensor) -> Value:
    """``tensor.register_hook(hook)``.  If the hook breaks the graph, Python registers it, so its handle is real."""
    broke = False
    hook = ctx.args.get(0, "hook")
    if ctx.frame.mode.tracing and hook is not None and not tensor.is_input and _is_traced(ctx.interp, hook):
        mode, before = ctx.frame.mode, ctx.frame.summary.reads
        ctx.frame.mode = replace(mode, backward_kind="hook")
        ctx.frame.summary.reads = set()
        try:
            with captured_functions.captured(ctx.interp, hook, ctx.frame, whole=False):
                ctx.call(hook, Args((Tensor(tensor.rank, tensor.dtype, tensor.proven),)))
            broke = ctx.frame.flow.pending_resume
            if ctx.frame.summary.reads:
                ctx.emit("tensor-hook", "layout", ("register-hook-with-stride-dependent-code",), about=tensor)
        finally:
            ctx.frame.mode, ctx.frame.summary.reads = mode, before
    is_real = tensor.is_input or broke
    return ExternalObject(HANDLE if is_real else OF_COMPUTED, pre_existing=not ctx.frame.mode.tracing)


def _is_traced(interp: Interpreter, hook: Value) -> bool:
    """Return whether Dynamo finds code of the project in a hook: a function, or ``__call__`` of an object."""
    if isinstance(hook, Instance) and isinstance(hook.cls, Class) and not is_nn_module(hook):
        return isinstance(interp.class_attribute(hook.cls, "__call__"), Function)
    return callables.is_user_callable(hook)


def check_read(interp: Interpreter, tensor: Tensor, name: str, frame: Frame, node: ast.AST) -> None:
    """Report a read of an attribute of a gradient that is unknown before the backward pass."""
    if not frame.mode.backward_kind or not frame.mode.tracing:
        return
    if name in _BANNED:
        interp.emit(frame, node, "tensor-hook", name, ("strict-mode-banned-op",), about=tensor)
    elif name in _LAYOUT and frame.mode.backward_kind == "hook":
        frame.summary.reads.add(name)


def is_banned(frame: Frame, name: str) -> bool:
    """Return whether the method was refused already where it was read."""
    return bool(frame.mode.backward_kind) and name in _BANNED


def check_unbound(ctx: CallContext, tensor: Tensor, name: str) -> None:
    """``torch.Tensor.is_neg(gradient)``."""
    if is_banned(ctx.frame, name):
        ctx.emit("tensor-hook", name, ("illegal-method-invocation-in-strict-mode",), about=tensor)


def check_stored(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report ``global handle; handle = x.register_hook(...)``: the graph cannot store the handle at its end."""
    if frame.mode.tracing and any(_is_handle(v, HANDLE, OF_COMPUTED) for v in members(value)):
        same = interp.compilation.entry_module is None or frame.module is interp.compilation.entry_module
        interp.emit(
            frame,
            node,
            "tensor-hook",
            "global-handle",
            ("storing-tensor-hook-handle-in-globals" if same else "storing-tensor-hook-handle-in-globals-inlined",),
        )


def check_returned(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report a handle that leaves the region."""
    for member in members(value):
        parts = member.items or () if isinstance(member, Seq) else (member,)
        if any(_is_handle(part, OF_COMPUTED) for part in parts):
            interp.emit(frame, node, "tensor-hook", "returned-handle", ("reconstruction-failure",))


def _is_handle(value: Value, *classes: str) -> bool:
    return isinstance(value, ExternalObject) and value.cls in classes
