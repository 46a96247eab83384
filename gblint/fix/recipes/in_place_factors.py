"""Factors of in-place methods: ``add_``, ``addcmul_`` and ``addcdiv_``."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_number, is_tensor

# The name of the factor, and the number of tensors after it.
_FACTORS = {"add_": ("alpha", 1), "addcmul_": ("value", 2), "addcdiv_": ("value", 2)}


def pass_by_name(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x.add_(0.1, y)`` to ``x.add_(y, alpha=0.1)``.

    Preconditions: the factor is a Python number, the order in which the arguments are evaluated does not matter, and
    there is no comment in the call.
    Unsafe: PyTorch warns about the old form, which is deprecated, and no longer does.
    """
    call = ctx.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    name, count = _FACTORS.get(call.func.attr.value, ("", 0))
    if len(call.args) != count + 1 or any(each.star or each.keyword is not None for each in call.args):
        return None
    if match.findall(call, match.Comment()):
        return None  # it would have to move with its argument
    factor, *tensors = [each.value for each in call.args]
    if not is_number(ctx.value(factor)) or not is_tensor(ctx.value(call.func.value)):
        return None
    if not all(is_pure(ctx, each) for each in (factor, *tensors)):
        return None
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    ordered = [cst.Arg(each) for each in tensors] + [cst.Arg(factor, keyword=cst.Name(name), equal=equal)]
    args = [
        new.with_changes(comma=old.comma, whitespace_after_arg=old.whitespace_after_arg)
        for new, old in zip(ordered, call.args)
    ]
    return Rewrite(f"pass the factor as `{name}`", "unsafe", {call: call.with_changes(args=args)})
