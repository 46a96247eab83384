"""Masks of ``nn.TransformerEncoder``, ``nn.TransformerDecoder`` and ``nn.Transformer``."""

from __future__ import annotations

import libcst as cst

from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import with_keyword
from gblint.interp.models.torch.transformer_modules import MASKS
from gblint.values.objects import Class, Instance


def say_whether_causal(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``encoder(x, mask=mask)`` to ``encoder(x, mask=mask, is_causal=False)``, with a flag for each mask.

    Preconditions: the call shows all of its arguments.
    Unsafe: with a causal mask another kernel computes the attention, and its results are rounded differently.
    """
    call = ctx.node
    module = ctx.value(call.func) if isinstance(call, cst.Call) else None
    if not isinstance(call, cst.Call) or not isinstance(module, Instance) or any(each.star for each in call.args):
        return None
    names = module.cls.externals if isinstance(module.cls, Class) else (module.cls.name,)
    masks = next((MASKS[name] for name in names if name in MASKS), ())
    keywords = {each.keyword.value for each in call.args if each.keyword is not None}
    count = sum(each.keyword is None for each in call.args)
    flags = [
        mask.flag
        for mask in masks
        if (mask.position < count or mask.name in keywords)
        and mask.flag_position >= count
        and mask.flag not in keywords
    ]
    new = call
    for flag in flags:
        new = with_keyword(new, flag, cst.Name("False"))
    return Rewrite(f"pass `{flags[0]}=False`", "unsafe", {call: new}) if flags else None
