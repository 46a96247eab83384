"""Changes of a tensor in place, as expressions for the new value."""

from __future__ import annotations

import libcst as cst

from gblint.fix.context import FixContext
from gblint.fix.recipes._build import is_place, primary_text
from gblint.fix.recipes._purity import VIEWS, is_pure
from gblint.fix.recipes._values import is_tensor

# Elementwise methods that exist with and without the underscore.
_OUT_OF_PLACE = frozenset(
    "abs add addcdiv addcmul bitwise_and bitwise_or clamp clamp_max clamp_min div exp floor lerp log logical_and "
    "logical_not logical_or masked_fill mul neg pow reciprocal round rsqrt sigmoid sign sqrt square sub tanh".split()
)


def out_of_place_text(ctx: FixContext, node: cst.BaseExpression) -> tuple[str, str] | None:
    """Return the target of ``x.mul_(a).add_(b)``, and the text of its new value: ``x`` and ``x.mul(a).add(b)``."""
    calls: list[cst.Call] = []
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value.endswith("_"):
        calls.insert(0, node)
        node = node.func.value
    if not calls or not (is_place(node) or _is_view(ctx, node)) or not is_tensor(ctx.value(node)):
        return None
    target = text = ctx.code(node)
    for call in calls:
        assert isinstance(call.func, cst.Attribute)
        name = call.func.attr.value
        if any(arg.star or not is_pure(ctx, arg) for arg in call.args):
            return None
        arguments_text = ctx.tree.text[ctx.tree.bounds(call.func)[1] : ctx.tree.bounds(call)[1]]
        if name == "copy_" and len(call.args) == 1 and is_tensor(ctx.value(call.args[0].value)):
            value = call.args[0].value
            text = ctx.code(value) if call is calls[-1] else primary_text(ctx.tree, value)
        elif name in ("fill_", "zero_") and call is calls[-1] and len(call.args) == (name == "fill_"):
            text = ctx.code(call.args[0].value) if call.args else "0"
        elif name.endswith("_") and name[:-1] in _OUT_OF_PLACE:
            text = f"{text}.{name[:-1]}{arguments_text}"
        else:
            return None
    return target, text


def _is_view(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a view of a variable or of an attribute."""
    made = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in VIEWS
    return made and is_pure(ctx, node) and is_place(node.func.value)  # type: ignore[attr-defined]
