"""Tensors that cannot enter a graph: sparse, strided nested and quantized ones, and arrays of Python objects."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import NONE, Tensor, Value, members
from gblint.values.containers import Seq
from gblint.values.objects import ExternalName

# The breaks of ``VariableBuilder.wrap_tensor`` and ``wrap_numpy_ndarray`` for a tensor that enters the graph.
_CAUSES = {
    "sparse": "sparse-tensor",
    "nested": "strided-nested-tensor",
    "quantized": "fake-tensor-propagation-exception",
    "object": "ndarray-not-convertible-to-tensor",
}


# Functions that take a sparse tensor first, and methods that only a sparse tensor has.
_TAKES_SPARSE: Final = "torch.sparse."
_OF_SPARSE: Final = frozenset(("_indices", "_values", "_nnz", "coalesce", "is_coalesced"))


def touch(interp: Interpreter, value: Value, frame: Frame, node: ast.AST, name: str = "") -> None:
    """Report the first use in a function of a tensor that cannot become a graph input.

    ``name``: the name of the attribute that is read.
    """
    if not frame.mode.tracing:
        return
    for member in members(value):
        if isinstance(member, Tensor) and (member.layout or name in _OF_SPARSE):
            _report(interp, member, value, frame, node)


def _report(interp: Interpreter, tensor: Tensor, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report the use of a tensor with a layout, or of an input that is used as a sparse one."""
    if not tensor.layout and (tensor.ndarray or not tensor.is_input):
        return
    layout = tensor.layout or "sparse"
    seen = (p for p, e in frame.summary.events.items() if e.event.kind == "tensor-layout")
    here = (getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
    if all(place[:2] == here or place[3] != layout for place in seen):
        likely = not tensor.layout
        interp.emit(frame, node, "tensor-layout", layout, (_CAUSES[layout],), about=value, likely=likely)


def check_set(interp: Interpreter, value: Value, frame: Frame, node: ast.AST, *, parameters: bool = False) -> None:
    """Report a set of tensors from outside of the region; with ``parameters`` only one not made in the region."""
    if not frame.mode.tracing or not isinstance(value, Seq) or value.cls not in ("set", "frozenset"):
        return
    items = value.items if value.items is not None else members(value.rest)
    found = [v for v in items if isinstance(v, Tensor)]
    if found and all(v.is_input for v in found) >= parameters:
        interp.emit(frame, node, "tensor-layout", "set", ("set-with-tensors",), about=found[0])


def touch_all(ctx: CallContext, name: str) -> None:
    """Report the arguments of a call of the external function ``name`` that cannot become graph inputs."""
    for value in ctx.args.all():
        touch(ctx.interp, value, ctx.frame, ctx.node)
    if name.startswith(_TAKES_SPARSE) and ctx.frame.mode.tracing:
        for member in members(ctx.args.first):
            if isinstance(member, Tensor):
                _report(ctx.interp, member, ctx.args.first, ctx.frame, ctx.node)


def nested_tensor(ctx: CallContext) -> Value:
    """``torch.nested.nested_tensor``: Dynamo traces only the jagged layout, and only from a list."""
    name, layout = "torch.nested.nested_tensor", ctx.args.kw.get("layout", NONE)
    if layout == ExternalName("torch.strided"):
        ctx.emit("call", name, ("use-of-strided-nested-tensor",))
    elif any(isinstance(v, Tensor) for v in members(ctx.args.first)):
        ctx.emit("call", name, ("nested-tensor-with-non-list-input",), about=ctx.args.first)
    elif layout == NONE:
        ctx.emit("call", name, ("operator-without-fake-tensor-support",))
    return _nested(ctx.interp, layout, ctx.args, ctx.frame)


def as_nested_tensor(ctx: CallContext) -> Value:
    """``torch.nested.as_nested_tensor``."""
    layout = ctx.args.kw.get("layout", NONE)
    if layout in (NONE, ExternalName("torch.strided")) and isinstance(ctx.args.first, Seq):
        ctx.emit("call", "torch.nested.as_nested_tensor", ("operator-without-fake-tensor-support",))
    return _nested(ctx.interp, layout, ctx.args, ctx.frame)


def _nested(interp: Interpreter, layout: Value, args: Args, frame: Frame) -> Value:
    strided = layout in (NONE, ExternalName("torch.strided"))
    return interp.value_of_returns("tensor[;;nested]" if strided else "tensor", None, args, frame)


HANDLERS: dict[str, Handler] = {
    "torch.nested.nested_tensor": nested_tensor,
    "torch.nested.as_nested_tensor": as_nested_tensor,
}
