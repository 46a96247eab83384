"""Kernels of Triton: ``kernel[grid](...)`` is one operation of the graph.

Dynamo traces a grid that is a function, but no code of the kernel and none of Triton
(``torch/_higher_order_ops/triton_kernel_wrap.py``).
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import INT, NONE, UNKNOWN, Const, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import BoundMethod, Class, ExternalName, Function, Instance, Partial
from gblint.values.wrapped import TritonKernel

_JIT: Final = ("triton.jit", "triton.runtime.jit.jit", "triton.experimental.gluon.jit")
_AUTOTUNE: Final = ("triton.autotune", "triton.runtime.autotuner.autotune")
_HEURISTICS: Final = ("triton.heuristics", "triton.runtime.autotuner.heuristics")
DECORATORS: Final = frozenset((*_JIT, *_AUTOTUNE, *_HEURISTICS))
_UNSUPPORTED: Final = "triton-kernel-unsupported-feature"
_GRID_TYPE: Final = "unsupported-grid-type-for-triton-hop-check-grid"
_HOOKS: Final = ("pre_hook", "post_hook")


def decorated(interp: Interpreter, name: str, call: ast.Call | None, value: Value, frame: Frame) -> Value:
    """Return ``value`` under a decorator of Triton; ``call`` is the decorator in the source if it has arguments."""
    keywords = call.keywords if call is not None else ()
    settings = {k.arg: interp.eval(k.value, frame) for k in keywords if k.arg and name in _AUTOTUNE}
    return _under(name, value, settings, has_hook=call is not None and _sets_hook(call))


def _under(name: str, value: Value, settings: dict[str, Value], *, has_hook: bool = False) -> Value:
    """Return a function or kernel under the decorator ``name``; ``settings`` are the keywords of ``autotune``."""
    if name in _JIT:
        return TritonKernel(value)
    if not isinstance(value, TritonKernel) or name in _HEURISTICS:
        return value
    if value.is_tuned:
        return replace(value, refused="second-autotune")
    if has_hook or any(settings.get(hook, NONE) != NONE for hook in _HOOKS):
        return replace(value, is_tuned=True, refused="hook")
    if settings.get("use_cuda_graph") == Const(True):
        return replace(value, is_tuned=True, refused="cuda-graph")
    return replace(value, is_tuned=True)


def _sets_hook(call: ast.Call) -> bool:
    """Return whether a ``triton.Config(...)`` among the arguments of a call has a hook."""
    return any(
        isinstance(node, ast.keyword)
        and node.arg in _HOOKS
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        for node in ast_walk.walk(call)
    )


def _decorator(name: str) -> Handler:
    """Return the model of a decorator that is called as a function: ``triton.jit(f)``, ``triton.autotune(...)(k)``."""

    def handler(ctx: CallContext) -> Value:
        function = ctx.args.get(0, "fn")
        if not isinstance(function, (Function, TritonKernel)):
            return ExternalName(name)
        return _under(name, function, ctx.args.kw)

    return handler


def with_grid(kernel: TritonKernel, grid: Value) -> TritonKernel:
    """Return ``kernel[grid]``."""
    return replace(kernel, grid=grid)


def call(ctx: CallContext, kernel: TritonKernel) -> Value:
    """Call a kernel; Dynamo reads its hooks, its keywords and its grid, and returns None."""
    if not ctx.frame.mode.tracing:
        return UNKNOWN
    if kernel.refused:
        ctx.emit("triton-kernel", kernel.refused, (_UNSUPPORTED,))
    elif "num_ctas" in ctx.args.kw:
        ctx.emit("triton-kernel", "num-ctas", (_UNSUPPORTED,))
    else:
        _check_grid(ctx, kernel.grid)
        _check_arguments(ctx)
    return NONE


def _check_grid(ctx: CallContext, grid: Value) -> None:
    """Report a grid that is a list or a partial; call it if it is a function."""
    sizes = ctx.call(grid, Args((Mapping(rest=UNKNOWN),))) if isinstance(grid, (Function, BoundMethod)) else grid
    faults = [_fault_of(value) for value in members(sizes)]
    for fault, cause in dict.fromkeys(each for each in faults if each is not None):
        ctx.emit("triton-kernel", fault, (cause,), likely=None in faults)


def _fault_of(grid: Value) -> tuple[str, str] | None:
    """Return what Dynamo does not accept in a grid, and the cause of the break."""
    if isinstance(grid, Seq):
        return ("grid-list", _UNSUPPORTED) if grid.cls == "list" else None
    return ("grid-type", _GRID_TYPE) if isinstance(grid, Partial) else None


def _check_arguments(ctx: CallContext) -> None:
    """Report the first argument that the graph cannot take: a sequence of tensors, or an object."""
    for value in (*ctx.args.pos, *ctx.args.kw.values()):
        holds_tensors = isinstance(value, Seq) and any(isinstance(item, Tensor) for item in value.items or ())
        if holds_tensors or (isinstance(value, Instance) and not _is_tensor(value)):
            ctx.emit("triton-kernel", "argument", (_UNSUPPORTED,), likely=not holds_tensors)
            return


def _is_tensor(value: Instance) -> bool:
    return isinstance(value.cls, Class) and value.cls.inherits("torch.Tensor")


def _whole(ctx: CallContext) -> Value:
    """``triton.cdiv`` and ``triton.next_power_of_2``, which Dynamo traces."""
    return Tensor() if any(isinstance(value, Tensor) for value in ctx.args.pos) else INT


HANDLERS: Final[dict[str, Handler]] = {
    **{name: _decorator(name) for name in DECORATORS},
    **dict.fromkeys(("triton.cdiv", "triton.next_power_of_2"), _whole),
}
