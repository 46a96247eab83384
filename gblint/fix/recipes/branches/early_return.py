"""Early returns on tensor values: both results are computed and one is picked at the end."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.names import NameUses
from gblint.fix.recipes._build import free_name, lines_after, parse_statement, replace_branch, returned_value
from gblint.fix.recipes._picking import TITLE, can_pick_between
from gblint.fix.recipes._predicates import GuardedPredicate, Predicate, guarded_predicate
from gblint.fix.recipes._purity import is_pure, may_lack_elements
from gblint.runtime.quiet_parse import parse_expression, parse_module

_SIMPLE = (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Assert, cst.Pass)


def where_instead_of_return(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if t: return a`` and a later ``return b`` to ``return torch.where(t, a, b)`` at the end.

    Preconditions: both results are tensors of one kind, or tuples of as many such tensors, and the code between the
    returns only computes. Unsafe: that code also runs if the function returned before it.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or not ctx.is_in(branch.test):
        return None
    guarded, value = guarded_predicate(ctx, branch.test), returned_value(branch.body.body)
    if guarded is None or value is None:
        return None
    if isinstance(branch.orelse, cst.Else):
        return _pick_adjacent(ctx, branch, guarded, value, returned_value(branch.orelse.body.body))
    rest = None if branch.orelse is not None else lines_after(ctx, branch)
    if rest is None:
        return None
    *between, last = rest
    other = returned_value([last])
    if other is None or not _can_pick_result(ctx, value, other):
        return None
    if not between:
        return _pick_adjacent(ctx, branch, guarded, value, other, last)
    if guarded.before or not all(has_no_visible_effect(ctx, line) for line in between):
        return None
    return _pick_at_end(ctx, branch, guarded.condition, value, other, between, last)


def _pick_adjacent(
    ctx: FixContext,
    branch: cst.If,
    guarded: GuardedPredicate,
    value: cst.BaseExpression,
    other: cst.BaseExpression | None,
    last: cst.BaseStatement | None = None,
) -> Rewrite | None:
    """Return the rewrite of two returns without code between them."""
    if other is None or not _can_pick_result(ctx, value, other):
        return None
    lines = _pick(ctx, branch, guarded.condition, value, other)
    gone: dict[cst.CSTNode, Replacement] = {}
    if guarded.before:
        lines = [f"if {guarded.guard}:", *(f"    {line}" for line in lines)]
        if last is None:
            lines.append(f"return {ctx.code(other)}")
    elif last is not None:
        gone = {last: cst.RemoveFromParent()}
    return Rewrite(TITLE, "unsafe", {**replace_branch(ctx, branch, lines), **gone}, guarded.condition.imports)


def _pick_at_end(
    ctx: FixContext,
    branch: cst.If,
    condition: Predicate,
    value: cst.BaseExpression,
    other: cst.BaseExpression,
    between: Sequence[cst.BaseStatement],
    last: cst.BaseStatement,
) -> Rewrite | None:
    """Return the rewrite of two returns with code between them."""
    parts = value.elements if isinstance(value, cst.Tuple) else None
    assigned = NameUses.of(each for line in between for each in parse_module(ctx.code(line)).body).assigned
    lines: list[str] = []
    # What the code between does not assign can be computed at the end.
    if parts is not None or not assigned.isdisjoint(NameUses.of([parse_expression(condition.text)]).read):
        flag = free_name(ctx, branch, "returns_early")
        lines.append(f"{flag} = {condition.true_text}")
        condition = condition.in_variable(flag)
    early = ctx.code(value)
    if parts is not None or not assigned.isdisjoint(NameUses.of([parse_expression(early)]).read):
        early = free_name(ctx, branch, "early_result")
        lines.append(f"{early} = {ctx.code(value)}")
    if parts is None:
        result = condition.pick(early, ctx.code(other))
    else:
        assert isinstance(other, cst.Tuple)
        pairs = enumerate(other.elements)
        result = ", ".join(condition.pick(f"{early}[{i}]", ctx.code(each.value)) for i, each in pairs)
    returned = parse_statement(ctx.tree, f"return {result}")
    assert isinstance(returned, cst.SimpleStatementLine) and isinstance(last, cst.SimpleStatementLine)
    returned = returned.with_changes(leading_lines=last.leading_lines, trailing_whitespace=last.trailing_whitespace)
    return Rewrite(TITLE, "unsafe", {**replace_branch(ctx, branch, lines), last: returned}, condition.imports)


def _pick(
    ctx: FixContext, branch: cst.If, condition: Predicate, value: cst.BaseExpression, other: cst.BaseExpression
) -> list[str]:
    """Return the lines that return one of two results."""
    if not isinstance(value, cst.Tuple) or not isinstance(other, cst.Tuple):
        return [f"return {condition.pick(ctx.code(value), ctx.code(other))}"]
    name = free_name(ctx, branch, "condition")
    pick = condition.in_variable(name).pick
    pairs = zip(value.elements, other.elements, strict=True)
    picked = ", ".join(pick(ctx.code(one.value), ctx.code(two.value)) for one, two in pairs)
    return [f"{name} = {condition.true_text}", f"return {picked}"]


def _can_pick_result(ctx: FixContext, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Return whether one of two results may be picked: tensors of one kind, or tuples of as many such tensors."""
    if isinstance(one, cst.Tuple) and isinstance(other, cst.Tuple):
        pairs = list(zip(one.elements, other.elements))
        whole = len(one.elements) == len(other.elements) > 1
        plain = all(isinstance(e, cst.Element) for e in (*one.elements, *other.elements))
        return whole and plain and all(can_pick_between(ctx, a.value, b.value) for a, b in pairs)
    return can_pick_between(ctx, one, other)


def has_no_visible_effect(ctx: FixContext, line: cst.BaseStatement) -> bool:
    """Return whether a statement has no effect that is visible to a caller if the function returned before it."""
    if isinstance(line, cst.If):
        suites = [line.body] if line.orelse is None else [line.body, line.orelse]
        blocks = [suite.body if isinstance(suite, cst.Else) else suite for suite in suites]
        parts = [p for b in blocks for p in ((b,) if isinstance(b, cst.If) else b.body)]
        return is_pure(ctx, line.test) and all(
            isinstance(p, cst.BaseStatement) and has_no_visible_effect(ctx, p) for p in parts
        )
    if not isinstance(line, cst.SimpleStatementLine):
        return False
    if not is_pure(ctx, line) or may_lack_elements(ctx, line):
        return False
    for small in line.body:
        targets: list[cst.CSTNode] = []
        if isinstance(small, cst.Expr):
            if not isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString)):
                return False
        elif not isinstance(small, _SIMPLE) or isinstance(small, cst.Assert):
            return False
        if isinstance(small, cst.Assign):
            targets = [target.target for target in small.targets]
        elif isinstance(small, (cst.AnnAssign, cst.AugAssign)):
            targets = [small.target]
        if isinstance(small, cst.AugAssign) or any(not match.matches(t, match.Name() | match.Tuple()) for t in targets):
            return False
    return True
