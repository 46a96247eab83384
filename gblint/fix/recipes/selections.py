"""Reads through a mask whose number of elements is known from how they are used."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.imports import Import
from gblint.fix.recipes._build import bind_arguments, called_name, primary_text
from gblint.fix.recipes._in_place import is_written
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._shapes import assigned_value
from gblint.fix.recipes._values import is_bool_tensor, is_int, is_tensor
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


def select_by_identity(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x[~torch.eye(n).bool()]`` to ``x[torch.nonzero_static(mask, size=n * (n - 1)).unbind(-1)]``.

    The mask may be a variable, and the index may begin with ``...``. Precondition: nothing changes the mask, so that
    the number of its true values is known. Unsafe: not every device has the operator.
    """
    read = ctx.node
    if not isinstance(read, cst.Subscript) or not is_tensor(ctx.value(read.value)):
        return None
    indices = [each.slice.value for each in read.slice if isinstance(each.slice, cst.Index)]
    rest = indices[:-1]
    if len(indices) < len(read.slice) or any(not isinstance(each, cst.Ellipsis) for each in rest) or len(rest) > 1:
        return None
    mask = indices[-1]
    found = _identity(ctx, mask) if is_bool_tensor(ctx.value(mask)) else None
    if found is None or not is_pure(ctx, read):
        return None
    size, inverted = found
    count = f"{size} * ({size} - 1)" if inverted else size
    torch, imports = ctx.module_reference("torch")
    picked = f"{torch}.nonzero_static({ctx.code(mask)}, size={count}).unbind(-1)"
    new = f"{primary_text(ctx.tree, read.value)}[{f'(..., *{picked})' if rest else picked}]"
    title = "use `torch.nonzero_static`, with the number of true values of the mask"
    return Rewrite(title, "unsafe", {read: cst.parse_expression(new)}, imports)


def _identity(ctx: FixContext, mask: cst.BaseExpression) -> tuple[str, bool] | None:
    """Return the number of rows of ``torch.eye(n)`` as text, and whether the mask is its opposite."""
    if isinstance(mask, cst.UnaryOperation) and isinstance(mask.operator, cst.BitInvert):
        inner = _identity(ctx, mask.expression) if is_bool_tensor(ctx.value(mask.expression)) else None
        return None if inner is None else (inner[0], not inner[1])
    if isinstance(mask, cst.Name):
        value = None if is_written(ctx, mask.value) else assigned_value(ctx, mask)
        inner = None if value is None else _identity(ctx, value)
        return None if inner is None else (f"{mask.value}.shape[0]", inner[1])
    if match.matches(mask, match.Call(match.Attribute(attr=match.Name("bool")), args=[])):
        return _identity(ctx, cst.ensure_type(cst.ensure_type(mask, cst.Call).func, cst.Attribute).value)
    if not isinstance(mask, cst.Call) or called_name(ctx, mask) != "torch.eye":
        return None
    names = ["n", "m", "dtype", "layout", "device", "requires_grad"]
    arguments = bind_arguments(mask, names) or {}
    rows, columns = arguments.get("n"), arguments.get("m", arguments.get("n"))
    if rows is None or columns is None or ctx.code(rows) != ctx.code(columns):
        return None
    return (primary_text(ctx.tree, rows), False) if is_pure(ctx, rows) else None


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
