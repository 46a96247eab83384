"""Branches that choose an argument that is not a tensor for one call: the call is made with both values."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.recipes._build import free_name, lines_after, replace_branch, text_with_renamed
from gblint.fix.recipes._effects import has_effect
from gblint.fix.recipes._picking import can_pick_between
from gblint.fix.recipes._predicates import guarded_predicate
from gblint.fix.recipes._values import is_number, is_tensor
from gblint.values.base import UNKNOWN, members


def call_with_both_values(ctx: FixContext) -> Rewrite | None:
    """Rewrite a branch that sets ``mode``, and ``y = f(x, mode)``, to ``y = torch.where(t, f(x, A), f(x, B))``.

    The branch is ``if t: mode = A`` (``else: mode = B``). Tensors that it also assigns are picked in its place.
    Preconditions: the variables are constants that only this call reads, and the call returns a tensor. Unsafe: the
    function is called twice.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or not isinstance(branch.orelse, cst.Else):
        return None
    guarded = guarded_predicate(ctx, branch.test)
    yes, no = _assigned_values(branch.body), _assigned_values(branch.orelse.body)
    following = lines_after(ctx, branch)
    if guarded is None or guarded.before or following is None or not yes or yes.keys() != no.keys():
        return None
    if any(match.findall(value, match.Name(name)) for side in (yes, no) for value in side.values() for name in yes):
        return None
    tensors = {name for name in yes if is_tensor(ctx.value(yes[name])) or is_tensor(ctx.value(no[name]))}
    plain = yes.keys() - tensors
    call = _sole_call(ctx, branch, plain)
    if (
        call is None
        or has_effect(ctx, [call], by_chance=False)
        or not all(_is_constant(ctx, side[name]) for side in (yes, no) for name in plain)
    ):
        return None
    if not all(can_pick_between(ctx, yes[name], no[name]) for name in tensors):
        return None
    if not any(line in following for line in ctx.tree.ancestors(call)):
        return None
    name = free_name(ctx, branch, "condition")
    pick = guarded.condition.in_variable(name).pick
    texts = [text_with_renamed(ctx, call, {n: ctx.code(side[n]) for n in plain}) for side in (yes, no)]
    lines = [f"{name} = {guarded.condition.true_text}"]
    lines += [f"{each} = {pick(ctx.code(yes[each]), ctx.code(no[each]))}" for each in yes if each in tensors]
    if texts[0] is None or texts[1] is None:
        return None
    replace: dict[cst.CSTNode, Replacement] = {**replace_branch(ctx, branch, lines)}
    replace[call] = cst.parse_expression(pick(texts[0], texts[1]))
    title = "make the call with both values, and select one result with `torch.where`"
    return Rewrite(title, "unsafe", replace, guarded.condition.imports)


def _assigned_values(suite: cst.BaseSuite) -> dict[str, cst.BaseExpression]:
    """Return the values that a side assigns by variable; empty if it does more, or assigns a variable twice."""
    found: dict[str, cst.BaseExpression] = {}
    for line in suite.body:
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
        target = small.targets[0].target if isinstance(small, cst.Assign) and len(small.targets) == 1 else None
        if not isinstance(small, cst.Assign) or not isinstance(target, cst.Name) or target.value in found:
            return {}
        found[target.value] = small.value
    return found


def _sole_call(ctx: FixContext, branch: cst.If, names: set[str]) -> cst.Call | None:
    """Return the call that takes these variables and whose result is assigned.

    Returns None if the variables are read elsewhere.
    """
    function = ctx.tree.enclosing(branch, cst.FunctionDef)
    calls: list[cst.CSTNode | None] = []
    if function is None:
        return None
    for name in names:
        uses = [use for use in match.findall(function, match.Name(name)) if not _is_set_or_label(ctx, use)]
        arg = ctx.tree.parent(uses[0]) if len(uses) == 1 else None
        calls.append(ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and not arg.star else None)
    call = calls[0] if calls else None
    if not isinstance(call, cst.Call) or any(each is not call for each in calls):
        return None
    small, value = ctx.tree.parent(call), ctx.value(call)
    plain = match.matches(small or call, match.Assign([match.AssignTarget(match.Name())]))
    return call if plain and (value is None or all(is_tensor(v) or v == UNKNOWN for v in members(value))) else None


def _is_set_or_label(ctx: FixContext, name: cst.CSTNode) -> bool:
    outer = ctx.tree.parent(name)
    return isinstance(outer, cst.AssignTarget) or (isinstance(outer, cst.Arg) and outer.keyword is name)


def _is_constant(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a name, attribute or string that the function does not assign, and no number.

    A number may determine the shape of the result.
    """
    if isinstance(node, cst.SimpleString):
        return True
    if is_number(ctx.value(node)):
        return False
    while isinstance(node, cst.Attribute):
        node = node.value
    function = ctx.tree.enclosing(node, cst.FunctionDef)
    if not isinstance(node, cst.Name) or function is None:
        return False
    return not match.findall(function, match.AssignTarget(match.Name(node.value)) | match.For(match.Name(node.value)))
