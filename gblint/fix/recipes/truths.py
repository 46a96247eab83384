"""``any`` and ``all`` over tensors with one truth value: one tensor of them all."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import bind_arguments, called_name
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_zero_dim
from gblint.values.base import NONE, Value, members
from gblint.values.containers import Seq


def stack_conditions(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``any(t.isnan().any() for t in ts)`` to ``torch.stack([t.isnan().any() for t in ts]).any()``.

    Preconditions: each item is a tensor without dimensions, computed without effect; there is at least one; and the
    result is only tested. Unsafe: items after the first that decides are computed as well, and the tensors need to be
    on one device.
    """
    call, name = ctx.node, called_name(ctx)
    arguments = bind_arguments(call, ["iterable"]) if isinstance(call, cst.Call) else None
    items = arguments.get("iterable") if arguments else None
    if name not in ("builtins.any", "builtins.all") or items is None or not _is_tested(ctx, call):
        return None
    listed = _listed_text(ctx, items)
    if listed is None:
        return None
    torch, imports = ctx.module_reference("torch")
    new = cst.parse_expression(f"{torch}.stack({listed}).{name.rpartition('.')[2]}()")
    return Rewrite("reduce the conditions as one tensor, with `torch.stack`", "unsafe", {call: new}, imports)


def _is_tested(ctx: FixContext, node: cst.CSTNode) -> bool:
    """Return whether only the truth of an expression is read."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, (cst.If, cst.IfExp, cst.While, cst.Assert)):
        return parent.test is node
    if isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not):
        return _is_tested(ctx, parent)
    return isinstance(parent, cst.BooleanOperation) and _is_tested(ctx, parent)


def _listed_text(ctx: FixContext, items: cst.BaseExpression) -> str | None:
    """Return the text of a list of the items; None if one of them is not a truth value, or if there may be none."""
    if isinstance(items, (cst.List, cst.Tuple)):
        found: Sequence[cst.BaseElement] = items.elements
        plain = all(isinstance(each, cst.Element) and _is_truth(ctx, each.value) for each in found)
        return f"[{', '.join(ctx.code(each) for each in found)}]" if plain and found else None
    if not isinstance(items, (cst.GeneratorExp, cst.ListComp)):
        return None
    loop = items.for_in
    if loop.ifs or loop.inner_for_in or loop.asynchronous or not _is_truth(ctx, items.elt):
        return None
    if not (_has_elements(loop.iter) or _has_items(ctx.value(loop.iter))) or not is_pure(ctx, loop.iter):
        return None
    return f"[{ctx.code(items.elt)} {ctx.code(loop).strip()}]"


def _is_truth(ctx: FixContext, node: cst.BaseExpression) -> bool:
    return is_zero_dim(ctx.value(node)) and is_pure(ctx, node)


def _has_elements(node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a list or tuple of at least one item."""
    return isinstance(node, (cst.List, cst.Tuple)) and any(isinstance(each, cst.Element) for each in node.elements)


def _has_items(value: Value | None) -> bool:
    """Return whether a value is a list or tuple that is known not to be empty."""
    return all(isinstance(each, Seq) and (each.items or each.count or each.first) for each in members(value or NONE))
