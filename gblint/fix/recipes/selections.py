"""Reads through a mask whose number of elements is known from how they are used."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from gblint.fix.context import FixContext, Rewrite
from gblint.fix.imports import Import
from gblint.fix.recipes._build import primary_text
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_int, is_tensor
from gblint.fix.recipes.masks import masked_read
from gblint.values.base import NONE, Const, Value, members
from gblint.values.containers import Seq


def use_nonzero_static(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x[mask].view(shape)`` to ``x[torch.nonzero_static(mask, size=n).unbind(-1)].view(shape)``.

    ``n`` is the number of elements of the shape; if the mask may select rows, it is divided by the elements of a row.
    Preconditions: the mask is a tensor of truth values, and the shape has no ``-1``. Unsafe: where the original
    raises, since the mask has another number of true values, the result is wrong.
    """
    if not isinstance(ctx.node, cst.Subscript):
        return None
    read = masked_read(ctx, ctx.node, any_rank=True)
    method = ctx.tree.parent(ctx.node)
    call = None if method is None else ctx.tree.parent(method)
    if (
        read is None
        or not isinstance(method, cst.Attribute)
        or not isinstance(call, cst.Call)
        or call.func is not method
    ):
        return None
    count = _count(ctx, method.attr.value, call.args)
    if count is None or not is_pure(ctx, call):
        return None
    torch, imports = ctx.module_reference("torch")
    size, more = count
    if read.by_row:
        dims = f"{primary_text(ctx.tree, read.mask)}.dim()"
        size = f"({size})" if " " in size else size
        size += f" // {primary_text(ctx.tree, read.tensor)}.shape[{dims} :].numel()"
    picked = f"{torch}.nonzero_static({ctx.code(read.mask)}, size={size}).unbind(-1)"
    new = cst.parse_expression(f"{primary_text(ctx.tree, read.tensor)}[{picked}]")
    title = "use `torch.nonzero_static`; it does not check that the mask selects as many elements"
    return Rewrite(title, "unsafe", {ctx.node: new}, (*imports, *more))


def _count(ctx: FixContext, method: str, arguments: Sequence[cst.Arg]) -> tuple[str, tuple[Import, ...]] | None:
    """Return the number of elements that ``view`` or ``reshape`` asks for, as text, and the imports that it needs."""
    if not arguments or any(arg.star or arg.keyword for arg in arguments):
        return None
    first = arguments[0].value
    if method in ("view_as", "reshape_as"):
        return (f"{primary_text(ctx.tree, first)}.numel()", ()) if is_tensor(ctx.value(first)) else None
    if method not in ("view", "reshape"):
        return None
    value = ctx.value(first)
    if len(arguments) == 1 and isinstance(value, Seq):
        if value.cls == "Size":
            return f"{primary_text(ctx.tree, first)}.numel()", ()
        if value.items is None or not all(map(_is_length, value.items)):
            return None
        math, imports = ctx.module_reference("math")
        return f"{math}.prod({ctx.code(first)})", imports
    if not all(_is_length(ctx.value(arg.value)) for arg in arguments):
        return None
    factors = [primary_text(ctx.tree, arg.value) for arg in arguments if ctx.value(arg.value) != Const(1)]
    return " * ".join(factors) or "1", ()


def _is_length(value: Value | None) -> bool:
    """Return whether a value is an integer that is not known to be negative."""
    return is_int(value) and not any(isinstance(v, Const) and v.value < 0 for v in members(value or NONE))  # type: ignore[operator]
