"""Branches that write through a mask: the condition becomes a part of the mask."""

from __future__ import annotations

import libcst as cst

from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._branch_merge import operator_text
from gblint.fix.recipes._build import as_operand, primary_text, replace_branch, sole_statement
from gblint.fix.recipes._predicates import guarded_predicate
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_bool_tensor, is_number, is_tensor
from gblint.fix.recipes.masks import compares_with_number
from gblint.values.base import NONE, Const, Tensor, Value, members

_NO_GRADIENT = ("bool", "int", "uint8")


def add_condition_to_mask(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if t: x[mask] = v`` to ``x[mask & t] = v``; the condition ``mask.any()`` is dropped.

    Preconditions: the mask is a boolean tensor, mask and value have no effects, and the value fits any number of
    elements. Safe if 0 or 1 is written where a tensor of a dtype without gradients is compared with a number; else
    unsafe: the write may raise even if it changes nothing, and autograd records it.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None or not ctx.is_in(branch.test):
        return None
    guarded = guarded_predicate(ctx, branch.test)
    small = sole_statement(branch.body.body)
    target = _target(small)
    if guarded is None or target is None or not isinstance(small, (cst.Assign, cst.AugAssign)):
        return None
    mask = sole_index(target)
    # A value that is written to by an index is not None.
    alternatives = [v for v in members(ctx.value(target.value) or NONE) if v != NONE]
    if (
        mask is None
        or not alternatives
        or not all(is_tensor(v) for v in alternatives)
        or not is_bool_tensor(ctx.value(mask))
    ):
        return None
    if not is_pure(ctx, small.value) or not is_pure(ctx, mask) or not _may_be_filled(ctx.value(small.value)):
        return None
    text = ctx.code(mask)
    if not _is_any_of_mask(ctx, branch.test, text):
        text = f"{primary_text(ctx.tree, mask)} & {as_operand(guarded.condition.true_text)}"
    line = f"{ctx.code(target.value)}[{text}]{operator_text(small)}{ctx.code(small.value)}"
    lines = [f"if {guarded.guard}:", f"    {line}"] if guarded.before else [line]
    # Autograd records a write in place even if it changes nothing.
    exact = all(isinstance(v, Tensor) and v.dtype in _NO_GRADIENT for v in alternatives)
    exact &= isinstance(small, cst.Assign) and ctx.value(small.value) in (Const(0), Const(1))
    exact &= compares_with_number(ctx, target.value, mask)
    title = "combine the condition with the mask"
    return Rewrite(title, "safe" if exact else "unsafe", replace_branch(ctx, branch, lines), guarded.condition.imports)


def _target(small: cst.CSTNode | None) -> cst.Subscript | None:
    """Return the subscript that a statement assigns."""
    target: cst.CSTNode | None = None
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target = small.targets[0].target
    elif isinstance(small, cst.AugAssign):
        target = small.target
    return target if isinstance(target, cst.Subscript) else None


def _may_be_filled(value: Value | None) -> bool:
    """Return whether a value fits a mask with any number of true elements."""
    return is_number(value) or (
        value is not None and all(isinstance(v, Tensor) and v.rank == 0 and not v.ndarray for v in members(value))
    )


def _is_any_of_mask(ctx: FixContext, test: cst.BaseExpression, mask: str) -> bool:
    """Return whether ``test`` is true if and only if the mask is true anywhere."""
    torch, _ = ctx.module_reference("torch")
    forms = (f"{mask}.any()", f"({mask}).any()", f"{torch}.any({mask})", f"{mask}.sum() > 0", f"({mask}).sum() > 0")
    return ctx.code(test) in forms


def sole_index(target: cst.Subscript) -> cst.BaseExpression | None:
    """Return the index of a subscript with one index."""
    only = target.slice[0].slice if len(target.slice) == 1 else None
    return only.value if isinstance(only, cst.Index) else None
