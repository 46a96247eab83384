"""Preconditions of picking one of two values with ``torch.where``."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext
from gblint.fix.recipes._build import all_parameters, is_entry
from gblint.fix.recipes._purity import is_pure, may_lack_elements
from gblint.fix.recipes._values import is_number, is_tensor, is_zero_dim
from gblint.values.base import Tensor, Value, members

_LAZY = (cst.IfExp, cst.Lambda, cst.CompFor, cst.FunctionDef)
TITLE = "compute both sides and select one with `torch.where`"


def value_before(ctx: FixContext, branch: cst.CSTNode, name: str) -> Value | None:
    """Return the value of a variable before ``branch``, from its uses before and in the branch.

    For a parameter that is not read before, the value right after the branch is taken. An entry of a dict has a value
    only if it is read or set in all runs that reach the branch.
    """
    function = ctx.tree.enclosing(branch, cst.FunctionDef)
    start, end = ctx.tree.bounds(branch)
    found: tuple[int, Value] | None = None
    sets = [
        each
        for each in match.findall(branch, match.Assign(targets=[match.AssignTarget()]))
        if isinstance(each, cst.Assign) and ctx.code(each.targets[0].target) == name
    ]
    # After the branch assigns it, the variable has another value.
    last = min((ctx.tree.bounds(each)[1] for each in sets), default=end)
    for node in match.findall(function or branch, match.Name() | match.Attribute() | match.Subscript()):
        place = ctx.tree.bounds(node)[0]
        value = ctx.value(node)
        if place >= last or ctx.code(node) != name or (is_entry(node) and not _always_before(ctx, node, branch)):
            continue
        parent = ctx.tree.parent(node)
        if isinstance(parent, cst.AssignTarget):
            assign = ctx.tree.parent(parent)
            if place >= start or not isinstance(assign, cst.Assign):
                continue
            value = ctx.value(assign.value)
        if value is not None and (found is None or place < start):
            found = (place, value)
    if (
        found is None
        and isinstance(function, cst.FunctionDef)
        and any(each.name.value == name for each in all_parameters(function.params))
    ):
        uses = [n for n in match.findall(function, match.Name(name)) if ctx.tree.bounds(n)[0] >= end]
        next_use = min(uses, key=ctx.tree.bounds, default=None)
        if next_use is not None and not isinstance(ctx.tree.parent(next_use), cst.AssignTarget):
            return ctx.value(next_use)
    return None if found is None else found[1]


def _always_before(ctx: FixContext, node: cst.CSTNode, branch: cst.CSTNode) -> bool:
    """Return whether ``node`` is evaluated in each run before the sides of ``branch``."""
    around = [branch, *ctx.tree.ancestors(branch)]
    inner = node
    for outer in ctx.tree.ancestors(node):
        if isinstance(outer, _LAZY) or (isinstance(outer, cst.BooleanOperation) and outer.right is inner):
            return False
        if isinstance(outer, (cst.If, cst.While)):
            # Its test is evaluated, also that of a branch around this one.
            is_test = outer.test is inner
            return is_test and (outer in around or _is_block_of(ctx, outer, around))
        if isinstance(outer, cst.SimpleStatementLine):
            return _is_block_of(ctx, outer, around)
        inner = outer
    return False


def _is_block_of(ctx: FixContext, line: cst.CSTNode, around: Sequence[cst.CSTNode]) -> bool:
    """Return whether the block of a line is one of ``around``, in which the line comes first."""
    block = ctx.tree.parent(line)
    return isinstance(block, cst.IndentedBlock) and any(each is block for each in around)


def can_pick_between(ctx: FixContext, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Return whether both expressions can be evaluated without effect and are tensors of one kind."""
    if reduces(ctx, one, ctx.code(other)) or reduces(ctx, other, ctx.code(one)):
        return False
    if may_lack_elements(ctx, one) or may_lack_elements(ctx, other):
        return False
    return is_pure(ctx, one) and is_pure(ctx, other) and same_kind(ctx.value(one), ctx.value(other))


def reduces(ctx: FixContext, node: cst.BaseExpression, tensor: str) -> bool:
    """Return whether ``node`` is a tensor without dimensions computed from the variable ``tensor``, which has some."""
    if not is_zero_dim(ctx.value(node)) or ctx.code(node) == tensor:
        return False
    found = [each for each in match.findall(node, match.Name() | match.Attribute()) if ctx.code(each) == tensor]
    return bool(found) and not is_zero_dim(ctx.value(found[0]))


def same_kind(one: Value | None, other: Value | None) -> bool:
    """Return whether both are tensors whose known dtypes and ranks are equal, or one is a number for the other."""
    if one is None or other is None or not (is_tensor(one) or is_tensor(other)):
        return False
    if not (is_tensor(one) or is_number(one)) or not (is_tensor(other) or is_number(other)):
        return False
    kinds = {(v.dtype, v.rank) for value in (one, other) for v in members(value) if isinstance(v, Tensor)}
    dtypes, ranks = ({kind[i] for kind in kinds} - {None} for i in (0, 1))
    if not (is_tensor(one) and is_tensor(other)) and ranks - {0}:
        return False
    # An argument of unknown dtype beside integers: these are often a conversion of it.
    inputs = any(
        v.is_input and v.dtype is None for value in (one, other) for v in members(value) if isinstance(v, Tensor)
    )
    if inputs and dtypes - {"float"}:
        return False
    return len(dtypes) <= 1 and len(ranks) <= 1
