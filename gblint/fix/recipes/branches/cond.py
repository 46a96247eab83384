"""Branches on tensor values with sides that must not both be computed: ``torch.cond``."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import in_compiled_code, parse_statement, sole_statement
from gblint.fix.recipes._effects import has_effect
from gblint.fix.recipes._in_place import is_written
from gblint.fix.recipes._picking import reduces, value_before
from gblint.fix.recipes._predicates import guarded_predicate
from gblint.fix.recipes._values import is_tensor

_TITLE = "use `torch.cond`: both sides must return tensors of one shape and dtype"


def use_cond(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if t: y = self.f(x)`` (``else: y = self.g(x)``) to ``y = torch.cond(t, f, g, (x,))`` in compiled code.

    Preconditions: each side assigns one tensor to the same variable and calls no method in place, and nothing changes
    the variable in place later. Unsafe:
    ``torch.cond`` requires tensors of one shape and dtype from both sides.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or isinstance(branch.orelse, cst.If):
        return None
    guarded, assignment = guarded_predicate(ctx, branch.test), _assignment(branch.body)
    if guarded is None or assignment is None or (guarded.before and branch.orelse is not None):
        return None
    name, value = assignment
    if branch.orelse is None:
        old = value_before(ctx, branch, name)
        other, other_value = f"{name}.clone()", old
    else:
        other_assignment = _assignment(branch.orelse.body)
        if other_assignment is None or other_assignment[0] != name:
            return None
        other, other_value = ctx.code(other_assignment[1]), ctx.value(other_assignment[1])
        other += _clone_of(ctx, other_assignment[1])
    if (
        not is_tensor(ctx.value(value))
        or not is_tensor(other_value)
        or reduces(ctx, value, other.removesuffix(".clone()"))
    ):
        return None
    if is_written(ctx, name, ctx.tree.bounds(branch)[1]):
        return None
    text = ctx.code(value) + _clone_of(ctx, value)
    sides = [value, *([other_assignment[1]] if branch.orelse is not None and other_assignment is not None else [])]
    read = [name] if branch.orelse is None else []
    for side in sides:
        if match.findall(side, match.NamedExpr() | match.Await() | match.Yield() | match.Lambda()):
            return None
        nodes = (n for n in match.findall(side, match.Name()) if isinstance(n, cst.Name))
        read += [n.value for n in nodes if is_tensor(ctx.value(n))]
    if not read or any(_writes(side) for side in sides) or has_effect(ctx, sides, by_chance=True):
        return None
    condition = guarded.condition
    names = list(dict.fromkeys(read))
    listed = ", ".join(names)
    operands = f"({listed},)" if len(names) == 1 else f"({listed})"
    one, two = (other, text) if condition.negated else (text, other)
    call = f"{condition.torch}.cond({condition.text}, lambda {listed}: {one}, lambda {listed}: {two}, {operands})"
    line = f"{name} = {call}"
    new = parse_statement(ctx.tree, f"if {guarded.guard}:\n    {line}\n" if guarded.before else line)
    return Rewrite(_TITLE, "unsafe", in_compiled_code(ctx, branch, [new], condition.torch), condition.imports)


def _clone_of(ctx: FixContext, value: cst.BaseExpression) -> str:
    """Return the call that copies a variable or a part of it: ``torch.cond`` refuses results that share memory."""
    return ".clone()" if isinstance(value, (cst.Name, cst.Subscript)) else ""


def _assignment(suite: cst.BaseSuite) -> tuple[str, cst.BaseExpression] | None:
    """Return the variable and the value of a block with a single assignment."""
    small = sole_statement(suite.body)
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return None
    target = small.targets[0].target
    return (target.value, small.value) if isinstance(target, cst.Name) else None


def _writes(node: cst.BaseExpression) -> bool:
    """Return whether ``node`` calls a method in place."""
    calls = match.findall(node, match.Call(match.Attribute()))
    return any(
        match.matches(call, match.Call(match.Attribute(attr=match.Name(match.MatchRegex(r".*_"))))) for call in calls
    )
