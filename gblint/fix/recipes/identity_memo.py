"""Results that an object stores for the last argument: the argument is compared by identity."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import operands
from gblint.fix.recipes._values import is_tensor
from gblint.values.base import NONE, Unknown, members


def compare_identity(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if self.last is None or self.last != t: ...; self.last = t`` to a test of ``self.last is not t``.

    Preconditions: both are tensors, and the branch stores the argument. Unsafe: an equal tensor that is another
    object is computed anew.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None:
        return None
    for part in operands(branch.test, cst.Or):
        sides = [part.left, part.comparisons[0].comparator] if isinstance(part, cst.Comparison) else []
        differs = match.Comparison(comparisons=[match.ComparisonTarget(match.NotEqual())])
        if not match.matches(part, differs) or not (ctx.node is part or ctx.node in sides):
            continue
        stored = next((side for side in sides if match.matches(side, match.Attribute(match.Name("self")))), None)
        argument = next((side for side in sides if isinstance(side, cst.Name)), None)
        if stored is None or argument is None or not all(_is_of_tensors(ctx, side) for side in sides):
            continue
        # The argument has to be stored, or identity would never hold.
        lines = [small for line in branch.body.body for small in getattr(line, "body", ())]
        sets = [line for line in lines if isinstance(line, cst.Assign) and ctx.code(line.value) == argument.value]
        if not any(ctx.code(target.target) == ctx.code(stored) for line in sets for target in line.targets):
            continue
        comparison = cst.parse_expression(f"{ctx.code(sides[0])} is not {ctx.code(sides[1])}")
        return Rewrite("compare the tensors with `is`, not by value", "unsafe", {part: comparison})
    return None


def _is_of_tensors(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether every known alternative of ``node`` is a tensor."""
    value = ctx.value(node)
    alternatives = [] if value is None else [each for each in members(value) if each != NONE]
    return any(map(is_tensor, alternatives)) and all(
        is_tensor(each) or isinstance(each, Unknown) for each in alternatives
    )
