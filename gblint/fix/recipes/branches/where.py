"""Branches on tensor values: both sides are computed and one is picked."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._branch_merge import BranchMerge, orelse_lines
from gblint.fix.recipes._build import primary_text, replace_branch
from gblint.fix.recipes._picking import TITLE, can_pick_between
from gblint.fix.recipes._predicates import guarded_predicate, scalar_predicate
from gblint.fix.recipes._values import is_number, is_size
from gblint.fix.recipes.branches.masked_in_place import sole_index
from gblint.values.base import Tensor, members


def where_instead_of_if(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if t: y = a`` (``else: y = b``) to ``y = torch.where(t, a, b)``.

    Preconditions: both sides only compute and assign tensors whose known dtypes and ranks are equal, or numbers that
    type promotion does not notice.
    Unsafe: the side that was skipped is computed as well, and may be slow or give NaN gradients.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or not ctx.is_in(branch.test):
        return None
    guarded = guarded_predicate(ctx, branch.test)
    if guarded is None:
        return None
    sides = BranchMerge(ctx, branch, guarded.condition)
    lines = sides.merged_lines(branch.body, branch.orelse)
    if lines is None:
        return None
    if guarded.before:
        lines = [f"if {guarded.guard}:", *(f"    {line}" for line in lines)]
        otherwise = orelse_lines(ctx, branch.orelse)
        if otherwise is None:
            return None
        lines += otherwise
    return Rewrite(TITLE, "unsafe", replace_branch(ctx, branch, lines), guarded.condition.imports)


def where_instead_of_ternary(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``a if t else b`` to ``torch.where(t, a, b)``.

    Preconditions and applicability are those of ``where_instead_of_if``.
    """
    choice = ctx.enclosing(cst.IfExp)
    if not isinstance(choice, cst.IfExp) or not ctx.is_in(choice.test):
        return None
    condition = scalar_predicate(ctx, choice.test)
    if condition is None or not can_pick_between(ctx, choice.body, choice.orelse):
        return None
    sides = (_indexed(ctx, choice.test, side) or ctx.code(side) for side in (choice.body, choice.orelse))
    return Rewrite(TITLE, "unsafe", {choice: cst.parse_expression(condition.pick(*sides))}, condition.imports)


def _indexed(ctx: FixContext, test: cst.BaseExpression, side: cst.BaseExpression) -> str | None:
    """Return ``x[i]`` with a reshaped index if the test is ``i >= 0``.

    Dynamo cannot index with a tensor of one element.
    """
    if not isinstance(side, cst.Subscript) or not isinstance(test, cst.Comparison):
        return None
    index = sole_index(side)
    value = None if index is None else ctx.value(index)
    tests_index = isinstance(index, cst.Name) and ctx.code(test.left) == index.value and len(test.comparisons) == 1
    if index is None or value is None or not tests_index or not is_number(ctx.value(test.comparisons[0].comparator)):
        return None
    if not all(isinstance(v, Tensor) and v.dtype in ("int", None) for v in members(value)):
        return None
    name, tensor = ctx.code(index), primary_text(ctx.tree, side.value)
    return f"{tensor}[{name}.reshape(-1)].reshape({name}.shape + {tensor}.shape[1:])"


def min_max_instead_of_test(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``1 if len(x) > 1 else 0`` to ``max(min(len(x) - 1, 1), 0)`` for a length that depends on values.

    Safe: both give the same integer for every length.
    """
    choice = ctx.enclosing(cst.IfExp)
    found = match.extract(
        choice or ctx.node,
        match.IfExp(
            test=match.Comparison(
                left=match.SaveMatchedNode(match.Call() | match.Subscript(), "size"),
                comparisons=[match.ComparisonTarget(match.GreaterThan(), match.SaveMatchedNode(match.Integer(), "n"))],
            ),
            body=match.Integer("1"),
            orelse=match.Integer("0"),
        ),
    )
    if not found or choice is None or not isinstance(size := found["size"], cst.BaseExpression):
        return None
    if not is_size(ctx, size):
        return None
    text = f"max(min({ctx.code(size)} - {ctx.code(found['n'])}, 1), 0)"  # type: ignore[arg-type]
    title = "compute the number with `min` and `max` instead of a test"
    return Rewrite(title, "safe", {choice: cst.parse_expression(text)})
