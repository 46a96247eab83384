"""Counts of integers in a tensor of known size."""

from __future__ import annotations

import libcst as cst

from gblint.fix.context import FixContext
from gblint.fix.recipes._build import bind_arguments, parse_like, primary_text
from gblint.fix.recipes._values import is_int


def counted_into_zeros(ctx: FixContext, call: cst.Call, ones: str, device: str) -> cst.BaseExpression | None:
    """Return what counts as ``torch.bincount(x, minlength=n)`` does, adding ``ones`` up in a tensor of ``n`` zeros.

    Returns None for other arguments.
    """
    arguments = bind_arguments(call, ["input", "weights", "minlength"])
    if arguments is None or set(arguments) != {"input", "minlength"} or not is_int(ctx.value(arguments["minlength"])):
        return None
    torch, _ = ctx.module_reference("torch")
    places = primary_text(ctx.tree, arguments["input"])
    zeros = f"{torch}.zeros({ctx.code(arguments['minlength'])}, dtype={torch}.int64, device={device})"
    return parse_like(call, f"{zeros}.scatter_add_(0, {places}.long(), {ones})")
