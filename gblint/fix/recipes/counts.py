"""Counts of integers, in a tensor of known size instead of one that the data makes longer."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import called_name, is_place
from gblint.fix.recipes._counting import counted_into_zeros
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_tensor
from gblint.fix.recipes.masked_losses import with_masked_assign

# Methods that make one dimension of several.
_FLATTENS = ("flatten", "view", "reshape", "ravel")


def count_into_zeros(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``torch.bincount(x, minlength=n)`` to ``scatter_add_`` of ones into ``n`` zeros.

    Where ``x`` is computed from variables that a mask selects, these keep their shape; see
    ``masked_losses.mask_losses``. Preconditions: ``x`` is a variable, perhaps flattened, and has no weights. Unsafe:
    where a value reaches ``n``, the result of ``bincount`` is longer, and the rewritten code raises an error.
    """
    call = ctx.node
    if not isinstance(call, cst.Call) or called_name(ctx) != "torch.bincount" or not call.args:
        return None
    function = ctx.tree.enclosing(call, cst.FunctionDef)
    start = ctx.tree.bounds(call)[0]
    for each in match.findall(function, match.Assign()) if function is not None else ():
        masked = with_masked_assign(ctx, each) if ctx.tree.bounds(each)[0] < start else None
        if masked is not None and call in masked.replace:
            return masked
    tensor = call.args[0].value
    flat = match.matches(tensor, match.Call(match.Attribute(attr=match.OneOf(*map(match.Name, _FLATTENS)))))
    place = cst.ensure_type(cst.ensure_type(tensor, cst.Call).func, cst.Attribute).value if flat else tensor
    if not is_tensor(ctx.value(tensor)) or not is_pure(ctx, tensor) or not is_place(place):
        return None
    torch, imports = ctx.module_reference("torch")
    ones = f"{torch}.ones_like({ctx.code(tensor)}, dtype={torch}.int64)"
    new = counted_into_zeros(ctx, call, ones, f"{ctx.code(place)}.device")
    return (
        None
        if new is None
        else Rewrite("count with `scatter_add_` in a tensor of known size", "unsafe", {call: new}, imports)
    )
