"""Reads through a mask that are only reduced or written back: computed on the full shape instead."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Final

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import as_primary, primary_text
from gblint.fix.recipes._elementwise import LINEAR, Unmasked, value_of
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._shapes import are_alike, covers
from gblint.fix.recipes._values import is_bool_tensor, is_int, is_number, is_tensor, is_zero_dim
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import NONE, Const, Scalar, Tensor, Value, members
from gblint.values.objects import ExternalName

_TITLE = "reduce the full tensor, with the masked-out elements replaced"
# The neutral element of each reduction, which replaces the elements that are left out.
_NEUTRAL = {
    "sum": "0",
    "mean": "0",
    "max": "-{torch}.inf",
    "min": "{torch}.inf",
    "amax": "-{torch}.inf",
    "amin": "{torch}.inf",
    "prod": "1",
    "any": "False",
    "all": "True",
}
# The dtypes for which both forms agree; torch refuses a mean of other than floating point numbers.
_ORDERED: Final = frozenset({"float"})
_SUMMED: Final = frozenset({"bool", "int", "uint8", "float", "complex", None})
_DTYPES: Final[dict[str, frozenset[str | None]]] = {
    **dict.fromkeys(("max", "min", "amax", "amin"), _ORDERED),
    **dict.fromkeys(("sum", "prod"), _SUMMED),
    "mean": frozenset({"float", "complex", None}),
    **dict.fromkeys(("any", "all"), frozenset({"bool"})),
}
_SCATTERS: Final = match.Call(match.Attribute(attr=match.Name("masked_scatter_")), args=[match.Arg(), match.Arg()])
_IN_PLACE = {cst.AddAssign: "add_", cst.SubtractAssign: "sub_", cst.MultiplyAssign: "mul_", cst.DivideAssign: "div_"}
_LARGEST = 3e38  # float32 holds numbers up to 3.4e38
_AUGMENTED = {
    cst.AddAssign: ("+", "0"),
    cst.SubtractAssign: ("-", "0"),
    cst.MultiplyAssign: ("*", "1"),
    cst.DivideAssign: ("/", "1"),
}


@dataclass(frozen=True, slots=True)
class MaskedRead:
    """``tensor[mask]`` with a mask of the same shape.

    ``by_row``: the mask may cover the first dimensions only.
    """

    tensor: cst.BaseExpression
    mask: cst.BaseExpression
    by_row: bool = False


def reduce_full_shape(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x[mask].sum()`` to ``torch.where(mask, x, 0).sum()``, and other reductions likewise.

    These are ``mean``, ``max``, ``min``, ``amax``, ``amin``, ``prod``, ``any`` and ``all``. Preconditions: the
    operations in between are elementwise; for ``mean``, mask and tensor have one shape. Unsafe: the order of summation
    and the result for no elements may differ.
    """
    read = masked_read(ctx, ctx.node, any_rank=True)
    condition = None if read is None else _condition(ctx, read, ctx.node)
    if read is None or condition is None:
        return None
    chain: list[str] = []
    node = ctx.node
    while True:
        call = _method_call(ctx, node)
        if call is None or call.args:
            return None
        name = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        if name in _NEUTRAL:
            break
        chain, node = [*chain, name], call
    if name == "mean" and read.by_row:
        return None
    value = ctx.value(read.tensor)
    dtypes = {v.dtype for v in members(value) if isinstance(v, Tensor)} if value else set()
    if not dtypes or not dtypes <= _DTYPES[name]:
        return None
    torch, imports = ctx.module_reference("torch")
    filled = _filled(ctx, read, condition, chain, _NEUTRAL[name].format(torch=torch))
    if filled is None:
        return None
    if name == "mean":
        mask = primary_text(ctx.tree, read.mask)
        mask += f".expand_as({ctx.code(read.tensor)})" if isinstance(ctx.node, cst.Call) else ""
        new = f"{filled}.sum() / {mask}.sum()"
        if isinstance(ctx.tree.parent(call), (cst.BinaryOperation, cst.UnaryOperation, cst.Attribute)):
            new = f"({new})"
    else:
        new = f"{filled}.{name}()"
    return Rewrite(_TITLE, "unsafe", {call: cst.parse_expression(new)}, imports)


def _filled(ctx: FixContext, read: MaskedRead, condition: str, chain: Sequence[str], neutral: str) -> str | None:
    """Return the full tensor after the methods ``chain``, with the neutral element where the mask is false.

    Before methods whose gradient may not be finite, the elements are replaced: zero times infinity is NaN.
    """
    torch, tensor = ctx.module_reference("torch")[0], ctx.code(read.tensor)
    methods = "".join(f".{name}()" for name in chain)
    if all(name in LINEAR for name in chain):
        whole = f"{primary_text(ctx.tree, read.tensor)}{methods}" if chain else tensor
        return f"{torch}.where({condition}, {whole}, {neutral})"
    values = {fill: _value_after(chain, fill) for fill in (0, 1)}
    fill = next((fill for fill, value in values.items() if neutral in ("0", "1") and value == int(neutral)), None)
    if fill is not None:
        return f"{torch}.where({condition}, {tensor}, {fill}){methods}"
    fill = next((fill for fill, value in values.items() if value is not None), None)
    inner = f"{torch}.where({condition}, {tensor}, {fill}){methods}"
    return None if fill is None else f"{torch}.where({condition}, {inner}, {neutral})"


def _value_after(chain: Sequence[str], at: float) -> float | None:
    """Return the value of an element after methods; None if it or a derivative may not be finite."""
    value: float | None = at
    for name in chain:
        value = None if value is None else value_of(name, value)
    return value


def _method_call(ctx: FixContext, node: cst.BaseExpression) -> cst.Call | None:
    method = ctx.tree.parent(node)
    call = None if method is None else ctx.tree.parent(method)
    return call if isinstance(method, cst.Attribute) and isinstance(call, cst.Call) and call.func is method else None


# Losses that average over elements and have `reduction="none"`.
_ZERO_LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")  # zero for two zeros
_LOSSES = (*_ZERO_LOSSES, "binary_cross_entropy_with_logits")


def average_full_shape(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``F.mse_loss(x[mask], y[mask])`` to the mean of the losses where the mask is true.

    Preconditions: both arguments have the same pure mask, and the loss averages over elements. Unsafe: the order of
    summation differs, and a gradient of zero may have another sign.  Masked-out elements are replaced before the
    loss: its gradient may be NaN there.
    """
    arg = ctx.tree.parent(ctx.node)
    call = None if arg is None else ctx.tree.parent(arg)
    if not isinstance(arg, cst.Arg) or not isinstance(call, cst.Call) or len(call.args) != 2:
        return None
    function = ctx.value(call.func)
    name = function.name.rpartition(".")[2] if isinstance(function, ExternalName) else ""
    if any(each.star or each.keyword for each in call.args) or (name not in _LOSSES and name != "cross_entropy"):
        return None
    reads = [masked_read(ctx, each.value, any_rank=True) for each in call.args]
    if any(read is None for read in reads):
        return None
    found = [read for read in reads if read is not None]
    mask = ctx.code(found[0].mask)
    if ctx.code(found[1].mask) != mask or not is_pure(ctx, found[0].mask):
        return None
    torch, imports = ctx.module_reference("torch")
    one, other = (ctx.code(read.tensor) for read in found)
    function_text = ctx.code(call.func)
    if name == "cross_entropy":
        labels = ctx.value(found[1].tensor)
        if labels is None or not all(isinstance(v, Tensor) and v.dtype in ("int", None) for v in members(labels)):
            return None
        chosen = f"{torch}.where({mask}, {other}, -100)"
        scores = ctx.value(found[0].tensor)
        rows = f"{primary_text(ctx.tree, found[0].mask)}.unsqueeze(-1)"
        one = f"{torch}.where({rows}, {one}, 0)"
        if scores is None or not all(isinstance(v, Tensor) and v.rank == 2 for v in members(scores)):
            one, chosen = f"{one}.flatten(0, -2)", f"{chosen}.flatten()"
        new = f"{function_text}({one}, {chosen})"
    else:
        if found[0].by_row or found[1].by_row:
            return None
        one, other = (f"{torch}.where({mask}, {each}, 0)" for each in (one, other))
        losses = f'{function_text}({one}, {other}, reduction="none")'
        if name not in _ZERO_LOSSES:
            losses = f"{torch}.where({mask}, {losses}, 0)"
        new = f"{losses}.sum() / {primary_text(ctx.tree, found[0].mask)}.sum()"
        if isinstance(ctx.tree.parent(call), (cst.BinaryOperation, cst.UnaryOperation, cst.Attribute)):
            new = f"({new})"
    return Rewrite(
        "average over the full tensor, without the masked-out elements",
        "unsafe",
        {call: cst.parse_expression(new)},
        imports,
    )


def update_full_shape(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x[mask] += v`` to ``x += torch.where(mask, v, 0)``, also for other operators.

    The value is a number, elementwise code with ``y[mask]``, or a parameter that is added to each row. For a number
    that float32 cannot represent it is ``x.copy_(torch.where(mask, x + v, x))``. Unsafe: the shapes may differ,
    ``-0.0 + 0`` is ``0.0``, and an expanded ``x`` is refused.
    """
    change = ctx.statement
    if not isinstance(change, cst.AugAssign) or not isinstance(change.target, cst.Subscript):
        return None
    read = masked_read(ctx, change.target, any_rank=True)
    condition = None if read is None else _condition(ctx, read, change.target)
    if read is None or condition is None:
        return None
    neutral = next((n for kind, (_, n) in _AUGMENTED.items() if isinstance(change.operator, kind)), None)
    value = ctx.value(change.value)
    if neutral is None or value is None:
        return None
    number = all(isinstance(v, (Const, Scalar)) for v in members(value))
    if number or (read.by_row and (is_zero_dim(value) or _is_of_module(ctx, change.value))):
        text: str | None = ctx.code(change.value)
    else:
        text = None if read.by_row else _unmasked_text(ctx, change.value, ctx.code(read.mask))
    if text is None:
        return None
    torch, imports = ctx.module_reference("torch")
    picked = f"{torch}.where({condition}, {text}, {neutral})"
    new = _changed_in_place(change, read.tensor, picked)
    if number and not _is_exact(value):
        tensor = primary_text(ctx.tree, read.tensor)
        sign = next(sign for kind, (sign, _) in _AUGMENTED.items() if isinstance(change.operator, kind))
        whole = f"{tensor} {sign} {as_primary(text)}"
        new = cst.Expr(cst.parse_expression(f"{tensor}.copy_({torch}.where({condition}, {whole}, {tensor}))"))
    title = "update the full tensor, without a change where the mask is false"
    return Rewrite(title, "unsafe", {change: new}, imports)


def fill_by_truth(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x[mask] = 0`` to ``x.masked_fill_(mask, 0)`` for a mask without dimensions.

    Preconditions: ``x`` has none either, and the number fits its dtype. Unsafe: a number that
    does not fit its dtype raises another error.
    """
    change = ctx.statement
    if not isinstance(change, cst.Assign) or len(change.targets) != 1:
        return None
    read = masked_read(ctx, change.targets[0].target)
    value = ctx.value(change.value)
    if read is None or not is_zero_dim(ctx.value(read.mask)) or not is_zero_dim(ctx.value(read.tensor)):
        return None
    dtypes = {v.dtype for v in members(ctx.value(read.tensor) or NONE) if isinstance(v, Tensor)}
    if not is_int(value) and not (is_number(value) and dtypes <= {"float", "complex"}):
        return None
    tensor, parts = primary_text(ctx.tree, read.tensor), (ctx.code(read.mask), ctx.code(change.value))
    new = cst.Expr(cst.parse_expression(f"{tensor}.masked_fill_({', '.join(parts)})"), semicolon=change.semicolon)
    return Rewrite("use `masked_fill_`, which takes a mask without dimensions", "unsafe", {change: new})


def _is_exact(value: Value) -> bool:
    """Return whether a number is certainly the same in float32, the dtype that ``torch.where`` gives it."""
    for each in members(value):
        if isinstance(each, Const) and isinstance(each.value, float):
            if math.isfinite(each.value) and abs(each.value) > _LARGEST:
                return False
            if not math.isnan(each.value) and struct.unpack("f", struct.pack("f", each.value))[0] != each.value:
                return False
        elif isinstance(each, Scalar) and each.kind not in ("int", "bool"):
            return False
    return True


def _changed_in_place(change: cst.AugAssign, tensor: cst.BaseExpression, value: str) -> cst.BaseSmallStatement:
    """Return the statement that changes the tensor in place; only a variable is assigned, as a property refuses it."""
    if isinstance(tensor, cst.Name):
        return change.with_changes(target=tensor, value=cst.parse_expression(value))
    method = next(name for kind, name in _IN_PLACE.items() if isinstance(change.operator, kind))
    call = cst.Call(cst.Attribute(tensor, cst.Name(method)), [cst.Arg(cst.parse_expression(value))])
    return cst.Expr(call, semicolon=change.semicolon)


def _condition(ctx: FixContext, read: MaskedRead, node: cst.BaseExpression) -> str | None:
    """Return the text of the mask with as many dimensions as the tensor; None if that would repeat an effect.

    As an index a mask covers the first dimensions; ``masked_select`` broadcasts it, as ``torch.where`` does.
    """
    mask = ctx.code(read.mask)
    if not read.by_row or isinstance(node, cst.Call):
        return mask
    if not is_pure(ctx, read.mask) or not is_pure(ctx, read.tensor):
        return None
    ranks = [_ranks(ctx.value(part)) for part in (read.tensor, read.mask)]
    rank, covered = (each.pop() if len(each) == 1 else None for each in ranks)
    if rank is not None and covered is not None:
        return f"{primary_text(ctx.tree, read.mask)}[{', '.join(['...', *['None'] * (rank - covered)])}]"
    compared = _compared_with_number(ctx, read.mask) or read.mask
    missing = f"{primary_text(ctx.tree, read.tensor)}.dim() - {primary_text(ctx.tree, compared)}.dim()"
    return f"{primary_text(ctx.tree, read.mask)}[(..., *[None] * ({missing}))]"


def _is_of_module(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a tensor that a module holds, whose shape does not depend on any mask."""
    root = node
    while isinstance(root, (cst.Attribute, cst.Subscript)):
        root = root.value
    value = ctx.value(node)
    held = isinstance(node, cst.Attribute) and isinstance(root, cst.Name) and root.value == "self"
    return held and value is not None and all(isinstance(v, Tensor) and v.is_input for v in members(value))


def assign_full_shape(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x[mask] = y[mask] * 2`` to ``x.copy_(torch.where(mask, y * 2, x))``.

    The same for ``x.masked_scatter_(mask, y.masked_select(mask) * 2)``. Preconditions: the value is computed
    elementwise from tensors with the same mask, which is pure, and all have one shape. Where the mask is false,
    elements are replaced if the gradient may not be finite there. Unsafe: the value is computed for all elements, and
    cast to the dtype of ``x`` where the original raises an error.
    """
    place = _written(ctx)
    if place is None:
        return None
    change, read, value = place
    mask = ctx.code(read.mask)
    text = _unmasked_text(ctx, value, mask) if is_pure(ctx, read.mask) and is_pure(ctx, read.tensor) else None
    if text is None or _unmasked_text(ctx, value, "") is not None:
        return None
    torch, imports = ctx.module_reference("torch")
    tensor = ctx.code(read.tensor)
    picked = f"{primary_text(ctx.tree, read.tensor)}.copy_({torch}.where({mask}, {text}, {tensor}))"
    new = cst.Expr(cst.parse_expression(picked))
    return Rewrite("compute the full tensor, and select by the mask", "unsafe", {change: new}, imports)


def _written(ctx: FixContext) -> tuple[cst.BaseSmallStatement, MaskedRead, cst.BaseExpression] | None:
    """Return the statement that writes through a mask, the place that it writes, and the new elements."""
    change = ctx.statement
    if isinstance(change, cst.Assign) and len(change.targets) == 1:
        read = masked_read(ctx, change.targets[0].target)
        return None if read is None or read.by_row else (change, read, change.value)
    if not isinstance(change, cst.Expr) or not match.matches(change.value, _SCATTERS):
        return None
    call = cst.ensure_type(change.value, cst.Call)
    read = _with_mask(ctx, cst.ensure_type(call.func, cst.Attribute).value, call.args[0].value, is_index=False)
    return None if read is None else (change, read, call.args[1].value)


def _unmasked_text(ctx: FixContext, node: cst.BaseExpression, mask: str) -> str | None:
    """Return the text of ``node`` without the masks in it, if it is computed elementwise."""

    def tensor_text(part: cst.BaseExpression) -> str | None:
        read = masked_read(ctx, part)
        return None if read is None or ctx.code(read.mask) != mask else ctx.code(read.tensor)

    return Unmasked(ctx, mask, tensor_text).text(node)


def _ranks(value: object) -> set[int | None]:
    return {v.rank for v in members(value) if isinstance(v, Tensor)} if value is not None else {None}  # type: ignore[arg-type]


def masked_read(ctx: FixContext, node: cst.BaseExpression, any_rank: bool = False) -> MaskedRead | None:
    """Return the tensor and the mask of ``x[mask]`` or ``x.masked_select(mask)`` if both have one shape."""
    pair = selected_by_index(ctx, node)
    return None if pair is None else _with_mask(ctx, *pair, isinstance(node, cst.Subscript), any_rank)


def _with_mask(
    ctx: FixContext, tensor: cst.BaseExpression, mask: cst.BaseExpression, is_index: bool, any_rank: bool = False
) -> MaskedRead | None:
    """Return the tensor and the mask if both have one shape; what is an index is not broadcast."""
    tensor_value, mask_value = ctx.value(tensor), ctx.value(mask)
    if not is_tensor(tensor_value) or not is_bool_tensor(mask_value) or tensor_value is None or mask_value is None:
        return None
    ranks = {v.rank for value in (tensor_value, mask_value) for v in members(value) if isinstance(v, Tensor)}
    same = len(ranks) == 1 and None not in ranks
    # ``x[x > 0]``: a comparison with a number has the shape of the compared tensor.
    same = same or compares_with_number(ctx, tensor, mask)
    same = same or (covers(ctx, mask, tensor) if is_index else are_alike(ctx, mask, tensor))
    return MaskedRead(tensor, mask, by_row=not same) if same or any_rank else None


def selected_by_index(
    ctx: FixContext, node: cst.BaseExpression
) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """Return the tensor and the index of ``x[index]``, or the mask of ``x.masked_select(mask)``."""
    if isinstance(node, cst.Subscript):
        only = node.slice[0].slice if len(node.slice) == 1 else None
        return (node.value, only.value) if isinstance(only, cst.Index) else None
    if not isinstance(node, cst.Call) or any(arg.star or arg.keyword for arg in node.args):
        return None
    function = ctx.value(node.func)
    if isinstance(function, ExternalName) and function.name == "torch.masked_select" and len(node.args) == 2:
        return node.args[0].value, node.args[1].value
    if match.matches(node, match.Call(match.Attribute(attr=match.Name("masked_select")), args=[match.Arg()])):
        return cst.ensure_type(node.func, cst.Attribute).value, node.args[0].value
    return None


def compares_with_number(ctx: FixContext, tensor: cst.BaseExpression, mask: cst.BaseExpression) -> bool:
    """Return whether the mask is ``x > 1`` or another comparison of the tensor with a number."""
    compared = _compared_with_number(ctx, mask)
    return compared is not None and ctx.code(compared) == ctx.code(tensor)


def _compared_with_number(ctx: FixContext, mask: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return ``x`` if the mask is ``x > 1`` or another comparison with one number."""
    if not isinstance(mask, cst.Comparison) or len(mask.comparisons) != 1:
        return None
    value = ctx.value(mask.comparisons[0].comparator)
    number = value is not None and all(isinstance(v, (Const, Scalar)) for v in members(value))
    return mask.left if number else None
