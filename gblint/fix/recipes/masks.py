"""Reading a tensor through a mask, only to reduce what was read or to write it back: the full shape with a mask."""

from __future__ import annotations

import libcst as cst

from gblint.fix.recipes.building import is_bool_tensor, is_tensor, tight
from gblint.fix.site import Rewrite, Site
from gblint.values.base import Const, Scalar, Tensor, members

# What fills the place of an element that is left out, so that it does not count.
_NEUTRAL = {"sum": "0", "mean": "0", "max": "-{torch}.inf", "min": "{torch}.inf"}
_AUGMENTED = {cst.AddAssign: ("+", "0"), cst.SubtractAssign: ("-", "0"), cst.MultiplyAssign: ("*", "1")}


def reduced(site: Site) -> Rewrite | None:
    """``x[mask].sum()`` as ``torch.where(mask, x, 0).sum()``; also ``mean``, ``max`` and ``min``."""
    read = _read(site)
    method = site.tree.parent(site.node)
    call = None if method is None else site.tree.parent(method)
    if read is None or not isinstance(method, cst.Attribute) or not isinstance(call, cst.Call) or call.args:
        return None
    name = method.attr.value
    tensor, mask = read
    floats = all(isinstance(v, Tensor) and v.dtype == "float" for v in members(site.values[site.tree.bounds(tensor)]))
    if name not in _NEUTRAL or not floats:
        return None
    torch, imports = site.named("torch")
    filled = f"{torch}.where({site.code(mask)}, {site.code(tensor)}, {_NEUTRAL[name].format(torch=torch)})"
    if name == "mean":
        new = f"{filled}.sum() / {tight(site.tree, mask)}.sum()"
        outer = site.tree.parent(call)
        if isinstance(outer, (cst.BinaryOperation, cst.UnaryOperation, cst.Attribute)):
            new = f"({new})"
    else:
        new = f"{filled}.{name}()"
    title = "reduce the full shape, with what is masked out replaced"
    return Rewrite(title, "unsafe", {call: cst.parse_expression(new)}, imports)


def updated(site: Site) -> Rewrite | None:
    """``x[mask] += v`` for a number ``v`` as ``x += torch.where(mask, v, 0)``; also ``-=`` and ``*=``."""
    read = _read(site)
    change = site.statement
    if read is None or not isinstance(change, cst.AugAssign) or change.target is not site.node:
        return None
    neutral = next((n for kind, (_, n) in _AUGMENTED.items() if isinstance(change.operator, kind)), None)
    value = site.value(change.value)
    if neutral is None or value is None:
        return None
    if not all(isinstance(v, (Const, Scalar)) for v in members(value)):
        return None
    tensor, mask = read
    torch, imports = site.named("torch")
    picked = f"{torch}.where({site.code(mask)}, {site.code(change.value)}, {neutral})"
    new = change.with_changes(target=tensor, value=cst.parse_expression(picked))
    return Rewrite("change the full shape, by nothing where the mask is false", "safe", {change: new}, imports)


def _read(site: Site) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """The tensor and the mask of ``x[mask]``, where both have one shape."""
    node = site.node
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1 or not isinstance(node.slice[0].slice, cst.Index):
        return None
    tensor, mask = node.value, node.slice[0].slice.value
    held, masking = site.value(tensor), site.value(mask)
    if not is_tensor(held) or not is_bool_tensor(masking) or held is None or masking is None:
        return None
    ranks = {v.rank for value in (held, masking) for v in members(value) if isinstance(v, Tensor)}
    same = len(ranks) == 1 and None not in ranks
    # ``x[x > 0]``: a comparison with a number has the shape of what is compared.
    own = isinstance(mask, cst.Comparison) and site.code(mask.left) == site.code(tensor) and _by_number(site, mask)
    return (tensor, mask) if same or own else None


def _by_number(site: Site, mask: cst.Comparison) -> bool:
    value = site.value(mask.comparisons[0].comparator)
    return (
        len(mask.comparisons) == 1 and value is not None and all(isinstance(v, (Const, Scalar)) for v in members(value))
    )
