"""Branches on the values of a tensor whose sides are not to be computed both: ``torch.cond``."""

from __future__ import annotations

import libcst as cst
from libcst import matchers as match

from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import replace_branch, sole_statement
from gblint.fix.recipes._picking import value_before
from gblint.fix.recipes._predicates import guarded_predicate
from gblint.fix.recipes._values import is_tensor

_TITLE = "let the graph hold both sides with `torch.cond`: they have to give tensors of one shape and type"


def as_cond(ctx: FixContext) -> Rewrite | None:
    """``if t: y = self.f(x)`` (``else: y = self.g(x)``) as ``y = torch.cond(t, f, g, (x,))``."""
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or isinstance(branch.orelse, cst.If):
        return None
    guarded, taken = guarded_predicate(ctx, branch.test), _assignment(branch.body)
    if guarded is None or taken is None or (guarded.before and branch.orelse is not None):
        return None
    name, value = taken
    if branch.orelse is None:
        old = value_before(ctx, branch, name)
        other, other_value = f"{name}.clone()", old
    else:
        given = _assignment(branch.orelse.body)
        if given is None or given[0] != name:
            return None
        other, other_value = ctx.code(given[1]), ctx.value(given[1])
        if isinstance(given[1], cst.Name):
            other += ".clone()"
    if not is_tensor(ctx.value(value)) or not is_tensor(other_value):
        return None
    text = f"{ctx.code(value)}.clone()" if isinstance(value, cst.Name) else ctx.code(value)
    sides = [value, *([given[1]] if branch.orelse is not None and given is not None else [])]
    read = [name] if branch.orelse is None else []
    for side in sides:
        if match.findall(side, match.NamedExpr() | match.Await() | match.Yield() | match.Lambda()):
            return None
        nodes = (n for n in match.findall(side, match.Name()) if isinstance(n, cst.Name))
        read += [n.value for n in nodes if is_tensor(ctx.value(n))]
    # Functions that may change their arguments or anything else cannot be told from others here.
    if not read or any(_writes(side) for side in sides):
        return None
    condition = guarded.condition
    names = list(dict.fromkeys(read))
    listed = ", ".join(names)
    operands = f"({listed},)" if len(names) == 1 else f"({listed})"
    one, two = (other, text) if condition.negated else (text, other)
    call = f"{condition.torch}.cond({condition.text}, lambda {listed}: {one}, lambda {listed}: {two}, {operands})"
    lines = [f"{name} = {call}"]
    if guarded.before:
        lines = [f"if {guarded.guard}:", f"    {lines[0]}"]
    return Rewrite(_TITLE, "unsafe", replace_branch(ctx, branch, lines), condition.imports)


def _assignment(suite: cst.BaseSuite) -> tuple[str, cst.BaseExpression] | None:
    small = sole_statement(suite.body)
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return None
    target = small.targets[0].target
    return (target.value, small.value) if isinstance(target, cst.Name) else None


def _writes(node: cst.BaseExpression) -> bool:
    calls = match.findall(node, match.Call(match.Attribute()))
    return any(
        match.matches(call, match.Call(match.Attribute(attr=match.Name(match.MatchRegex(r".*_"))))) for call in calls
    )
