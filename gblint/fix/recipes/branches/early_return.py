"""Returning early where a tensor says so: both results computed, and one of them picked at the end."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
from libcst import matchers as match

from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.recipes._build import free_name, lines_after, parse_statement, replace_branch, returned_value
from gblint.fix.recipes._picking import TITLE, can_pick_between
from gblint.fix.recipes._predicates import GuardedPredicate, Predicate, guarded_predicate
from gblint.fix.recipes._purity import is_pure, is_pure_but_random

_SIMPLE = (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Assert, cst.Pass)


def returned_early(ctx: FixContext) -> Rewrite | None:
    """``if t: return a``, and later ``return b``, as ``return torch.where(t, a, b)`` at the end."""
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or not ctx.is_in(branch.test):
        return None
    guarded, value = guarded_predicate(ctx, branch.test), returned_value(branch.body.body)
    if guarded is None or value is None:
        return None
    if isinstance(branch.orelse, cst.Else):
        return _either(ctx, branch, guarded, value, returned_value(branch.orelse.body.body))
    rest = None if branch.orelse is not None else lines_after(ctx, branch)
    if rest is None:
        return None
    *between, last = rest
    other = returned_value([last])
    if other is None or not _alike(ctx, value, other):
        return None
    if not between:
        return _either(ctx, branch, guarded, value, other, last)
    if guarded.before or not all(has_no_visible_effect(ctx, line) for line in between):
        return None
    return _later(ctx, branch, guarded.condition, value, other, between, last)


def _either(
    ctx: FixContext,
    branch: cst.If,
    guarded: GuardedPredicate,
    value: cst.BaseExpression,
    other: cst.BaseExpression | None,
    last: cst.BaseStatement | None = None,
) -> Rewrite | None:
    """Both returns stand beside each other."""
    if other is None or not _alike(ctx, value, other):
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


def _later(
    ctx: FixContext,
    branch: cst.If,
    condition: Predicate,
    value: cst.BaseExpression,
    other: cst.BaseExpression,
    between: Sequence[cst.BaseStatement],
    last: cst.BaseStatement,
) -> Rewrite | None:
    """There is something to compute between the two."""
    asked, early = free_name(ctx, branch, "returns_early"), free_name(ctx, branch, "early_result")
    parts = value.elements if isinstance(value, cst.Tuple) else None
    kept = [f"{asked} = {condition.true_text}", f"{early} = {ctx.code(value)}"]
    pick = condition.in_variable(asked).pick
    if parts is None:
        result = pick(early, ctx.code(other))
    else:
        assert isinstance(other, cst.Tuple)
        result = ", ".join(pick(f"{early}[{i}]", ctx.code(e.value)) for i, e in enumerate(other.elements))
    returned = parse_statement(ctx.tree, f"return {result}")
    assert isinstance(returned, cst.SimpleStatementLine) and isinstance(last, cst.SimpleStatementLine)
    returned = returned.with_changes(leading_lines=last.leading_lines, trailing_whitespace=last.trailing_whitespace)
    return Rewrite(TITLE, "unsafe", {**replace_branch(ctx, branch, kept), last: returned}, condition.imports)


def _pick(
    ctx: FixContext, branch: cst.If, condition: Predicate, value: cst.BaseExpression, other: cst.BaseExpression
) -> list[str]:
    if not isinstance(value, cst.Tuple) or not isinstance(other, cst.Tuple):
        return [f"return {condition.pick(ctx.code(value), ctx.code(other))}"]
    name = free_name(ctx, branch, "condition")
    pick = condition.in_variable(name).pick
    pairs = zip(value.elements, other.elements, strict=True)
    picked = ", ".join(pick(ctx.code(one.value), ctx.code(two.value)) for one, two in pairs)
    return [f"{name} = {condition.true_text}", f"return {picked}"]


def _alike(ctx: FixContext, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Whether one of two results may be picked: tensors, or tuples of as many tensors."""
    if isinstance(one, cst.Tuple) and isinstance(other, cst.Tuple):
        pairs = list(zip(one.elements, other.elements))
        whole = len(one.elements) == len(other.elements) > 1
        plain = all(isinstance(e, cst.Element) for e in (*one.elements, *other.elements))
        return whole and plain and all(can_pick_between(ctx, a.value, b.value) for a, b in pairs)
    return can_pick_between(ctx, one, other)


def has_no_visible_effect(ctx: FixContext, line: cst.BaseStatement, *, by_chance: bool = False) -> bool:
    """Whether a statement does nothing that anybody would see who has returned before it.

    What is done ``by_chance`` may draw numbers of torch, and refuse what is asked of it.
    """
    may_be = is_pure_but_random if by_chance else is_pure
    if isinstance(line, cst.If):
        suites = [line.body] if line.orelse is None else [line.body, line.orelse]
        blocks = [suite.body if isinstance(suite, cst.Else) else suite for suite in suites]
        parts = [p for b in blocks for p in ((b,) if isinstance(b, cst.If) else b.body)]
        return may_be(ctx, line.test) and all(
            isinstance(p, cst.BaseStatement) and has_no_visible_effect(ctx, p, by_chance=by_chance) for p in parts
        )
    if not isinstance(line, cst.SimpleStatementLine):
        return False
    if by_chance and match.matches(line, match.SimpleStatementLine([match.Raise()])):
        return True
    if not may_be(ctx, line):
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
