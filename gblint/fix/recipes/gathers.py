"""Rows of a tensor that Python reads one by one: read with one index."""

from __future__ import annotations

import libcst as cst

from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import bind_arguments, called_name, primary_text
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_tensor
from gblint.values.base import Const, Tensor, Value, members


def index_instead_of_stack(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``torch.stack([x[i] for i in index])`` to ``x[index]``.

    Preconditions: ``index`` is a tensor of integers and no mask, the items are stacked along the first dimension, and
    reading ``x`` has no effect. Unsafe: ``torch.stack`` raises for an empty index, and torch does not index with all
    integer types.
    """
    read = ctx.node
    listed = ctx.tree.parent(read)
    if not isinstance(read, cst.Subscript) or not isinstance(listed, cst.ListComp) or listed.elt is not read:
        return None
    loop, only = listed.for_in, read.slice[0].slice
    if loop.ifs or loop.inner_for_in or loop.asynchronous or len(read.slice) != 1 or not isinstance(only, cst.Index):
        return None
    if not isinstance(loop.target, cst.Name) or ctx.code(only.value) != loop.target.value:
        return None
    call = _stack_of(ctx, listed)
    if call is None or not _holds_integers(ctx.value(loop.iter)) or not is_tensor(ctx.value(read.value)):
        return None
    rows = read.value
    while isinstance(rows, cst.Attribute):
        rows = rows.value
    if not isinstance(rows, cst.Name) or rows.value == loop.target.value or not is_pure(ctx, read.value):
        return None
    new = cst.parse_expression(f"{primary_text(ctx.tree, read.value)}[{ctx.code(loop.iter)}]")
    return Rewrite("read all rows with one index", "unsafe", {call: new})


def _stack_of(ctx: FixContext, listed: cst.ListComp) -> cst.Call | None:
    """Return the call that stacks the items of the list along the first dimension."""
    arg = ctx.tree.parent(listed)
    call = None if arg is None else ctx.tree.parent(arg)
    if not isinstance(call, cst.Call) or called_name(ctx, call) != "torch.stack":
        return None
    arguments = bind_arguments(call, ["tensors", "dim"])
    if not arguments or arguments.get("tensors") is not listed or set(arguments) - {"tensors", "dim"}:
        return None
    return call if "dim" not in arguments or ctx.value(arguments["dim"]) == Const(0) else None


def _holds_integers(value: Value | None) -> bool:
    return (
        value is not None
        and is_tensor(value)
        and all(isinstance(v, Tensor) and v.dtype == "int" and v.rank != 0 for v in members(value))
    )
