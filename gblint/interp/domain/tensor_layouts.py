"""Tensors that cannot enter a graph: sparse, strided nested and quantized ones, and arrays of Python objects."""

from __future__ import annotations

import ast

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


def touch(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report the first use in a function of a tensor that cannot become a graph input."""
    if not frame.mode.tracing:
        return
    for member in members(value):
        if isinstance(member, Tensor) and member.layout:
            seen = (p for p, e in frame.summary.events.items() if e.event.kind == "tensor-layout")
            here = (getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
            if all(place[:2] == here or place[3] != member.layout for place in seen):
                interp.emit(frame, node, "tensor-layout", member.layout, (_CAUSES[member.layout],), about=value)


def check_set(interp: Interpreter, value: Value, frame: Frame, node: ast.AST, *, parameters: bool = False) -> None:
    """Report a set of tensors from outside of the region; with ``parameters`` only one not made in the region."""
    if not frame.mode.tracing or not isinstance(value, Seq) or value.cls not in ("set", "frozenset"):
        return
    items = value.items if value.items is not None else members(value.rest)
    found = [v for v in items if isinstance(v, Tensor)]
    if found and all(v.is_input for v in found) >= parameters:
        interp.emit(frame, node, "tensor-layout", "set", ("set-with-tensors",), about=found[0])


def touch_all(ctx: CallContext) -> None:
    """Report the arguments of an external call that cannot become graph inputs."""
    for value in ctx.args.all():
        touch(ctx.interp, value, ctx.frame, ctx.node)


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
