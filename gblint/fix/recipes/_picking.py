"""Preconditions of picking one of two values with ``torch.where``."""

from __future__ import annotations

import libcst as cst
from libcst import matchers as match

from gblint.fix.context import FixContext
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_number, is_tensor
from gblint.values.base import Tensor, Value, members

TITLE = "compute both sides and pick one with `torch.where`"


def value_before(site: FixContext, branch: cst.CSTNode, name: str) -> Value | None:
    """What the variable was before ``branch``, as far as its uses up to there and right in it say.

    Of a parameter that is not read before, what it is right behind the branch may be that, too.
    """
    function = site.tree.around(branch, cst.FunctionDef)
    start, end = site.tree.bounds(branch)
    found: tuple[int, Value] | None = None
    sets = match.findall(branch, match.Assign(targets=[match.AssignTarget(match.Name(name))]))
    # Behind where the branch sets it, it is something else.
    last = min((site.tree.bounds(each)[1] for each in sets), default=end)
    for node in match.findall(function or branch, match.Name() | match.Attribute()):
        place = site.tree.bounds(node)[0]
        value = site.value(node)
        if place >= last or site.code(node) != name:
            continue
        parent = site.tree.parent(node)
        if isinstance(parent, cst.AssignTarget):
            assign = site.tree.parent(parent)
            if place >= start or not isinstance(assign, cst.Assign):
                continue
            value = site.value(assign.value)
        if value is not None and (found is None or place < start):
            found = (place, value)
    if found is None and isinstance(function, cst.FunctionDef) and name in _parameters(function):
        uses = [n for n in match.findall(function, match.Name(name)) if site.tree.bounds(n)[0] >= end]
        behind = min(uses, key=site.tree.bounds, default=None)
        if behind is not None and not isinstance(site.tree.parent(behind), cst.AssignTarget):
            return site.value(behind)
    return None if found is None else found[1]


def _parameters(function: cst.FunctionDef) -> set[str]:
    every = function.params
    return {each.name.value for each in (*every.posonly_params, *every.params, *every.kwonly_params)}


def alike(site: FixContext, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Whether both may be computed, and are tensors of one kind."""
    return is_pure(site, one) and is_pure(site, other) and same_kind(site.value(one), site.value(other))


def same_kind(one: Value | None, other: Value | None) -> bool:
    """Whether both are tensors, or one of them a number that the other one may take in."""
    if one is None or other is None or not (is_tensor(one) or is_tensor(other)):
        return False
    if not (is_tensor(one) or is_number(one)) or not (is_tensor(other) or is_number(other)):
        return False
    kinds = {(v.dtype, v.rank) for value in (one, other) for v in members(value) if isinstance(v, Tensor)}
    dtypes, ranks = ({kind[i] for kind in kinds} - {None} for i in (0, 1))
    if not (is_tensor(one) and is_tensor(other)) and ranks - {0}:
        return False
    return len(dtypes) <= 1 and len(ranks) <= 1
