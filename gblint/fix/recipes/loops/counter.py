"""Counters that a tensor value advances: kept as tensors, with a loop over all values that they may have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement, Rewrite, replace_in_block
from gblint.fix.recipes._build import free_name, operands, own_line, parse_statement
from gblint.fix.recipes._predicates import parenthesized, scalar_predicate
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_number, is_tensor, may_be_tensor
from gblint.fix.recipes.loops.break_from import is_increment
from gblint.values.base import UNKNOWN, members


def loop_over_all_counts(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``j = 1`` and, in a loop, ``while j < n and t[j] < s: y[j] = v; j += 1`` to a loop from 1 to ``n``.

    The steps write only where the counter has arrived: ``y[j] = torch.where(reached, v, y[j])``. Preconditions: the
    steps only write elements of tensors, and the counter is used for nothing else. Unsafe: all steps are computed.
    """
    loop = ctx.enclosing(cst.While)
    if not isinstance(loop, cst.While) or loop.orelse is not None or not isinstance(loop.body, cst.IndentedBlock):
        return None
    below, *conditions = operands(loop.test, cst.And)
    *lines, step = loop.body.body
    counter = below.left if isinstance(below, cst.Comparison) else None
    condition = scalar_predicate(ctx, conditions[0]) if len(conditions) == 1 else None
    if not isinstance(below, cst.Comparison) or not isinstance(counter, cst.Name) or condition is None or not lines:
        return None
    bound, start = below.comparisons[0], _start(ctx, loop, counter.value)
    stores = _stores(ctx, lines)
    if len(below.comparisons) > 1 or not isinstance(bound.operator, cst.LessThan) or start is None or not stores:
        return None
    if not is_number(ctx.value(bound.comparator)) or not is_pure(ctx, bound.comparator):
        return None
    if not is_increment(step, counter.value) or not all(_assigns_only_temporaries(ctx, loop, line) for line in lines):
        return None
    next_count, reached = (free_name(ctx, loop, name) for name in (f"next_{counter.value}", "reached"))
    torch = condition.torch
    picked: dict[cst.CSTNode, Replacement] = {
        store.value: cst.parse_expression(
            f"{torch}.where({reached}, {ctx.code(store.value)}, {ctx.code(store.targets[0].target)})"
        )
        for store in stores
    }
    body = replace_in_block(ctx.tree, loop.body, picked)
    first = ctx.code(cst.ensure_type(start.body[0], cst.Assign).value)
    flag_line = f"{reached} = ({next_count} == {counter.value}) & {parenthesized(condition.true_text)}"
    body = body.with_changes(
        body=[
            parse_statement(ctx.tree, flag_line),
            *body.body[:-1],
            parse_statement(ctx.tree, f"{next_count} = {next_count} + {reached}"),
        ]
    )
    head = parse_statement(
        ctx.tree, f"for {counter.value} in range({first}, {ctx.code(bound.comparator)}):\n    pass\n"
    )
    made = parse_statement(ctx.tree, f"{next_count} = {torch}.tensor({first})")
    replace: dict[cst.CSTNode, Replacement] = {
        start: made.with_changes(leading_lines=start.leading_lines),
        loop: head.with_changes(body=body, leading_lines=loop.leading_lines),
    }
    title = "loop over all values of the counter, and write only while the condition holds"
    return Rewrite(title, "unsafe", replace, condition.imports)


def _start(ctx: FixContext, loop: cst.While, counter: str) -> cst.SimpleStatementLine | None:
    """Return the line that sets the counter to a number; None if other code outside of the loop uses it."""
    function = ctx.tree.enclosing(loop, cst.FunctionDef)
    names = [] if function is None else match.findall(function, match.Name(counter))
    outside = [name for name in names if not _is_inside(ctx, name, loop)]
    sets = [name for name in names if isinstance(ctx.tree.parent(name), (cst.AssignTarget, cst.AugAssign))]
    target = ctx.tree.parent(outside[0]) if len(outside) == 1 and len(sets) == 2 else None
    assign = None if target is None else ctx.tree.parent(target)
    if not match.matches(assign or loop, match.Assign([match.AssignTarget()], match.Integer())):
        return None
    line = own_line(ctx, assign)
    around = [] if line is None else [ctx.tree.parent(line)]
    return line if any(outer in around for outer in ctx.tree.ancestors(loop)) else None


def _stores(ctx: FixContext, lines: Sequence[cst.CSTNode]) -> list[cst.Assign]:
    """Return the assignments to elements of tensors; none if the lines do more than that and set temporaries."""
    found: list[cst.Assign] = []
    for line in _flattened(ctx, lines):
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
        if isinstance(small, (cst.Pass, cst.Raise)):
            continue
        if not isinstance(small, cst.Assign) or len(small.targets) != 1:
            return []
        target, value = small.targets[0].target, ctx.value(small.value)
        if isinstance(target, cst.Subscript):
            into = ctx.value(target.value)
            # Code that Python does not execute has no recorded values.
            if not is_pure(ctx, target) or not (is_tensor(into) or (into is None and found)):
                return []
            alternatives = [] if value is None else list(members(value))
            if not all(is_tensor(each) or is_number(each) or each == UNKNOWN for each in alternatives):
                return []
            found.append(small)
        elif not isinstance(target, cst.Name):
            return []
    return found


def _flattened(ctx: FixContext, lines: Sequence[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """Yield the lines, and those in branches that Python decides."""
    for line in lines:
        branch: cst.CSTNode | None = line
        while isinstance(branch, cst.If) and _is_decided_by_python(ctx, branch.test):
            yield from _flattened(ctx, branch.body.body)
            branch = branch.orelse
        if isinstance(branch, cst.Else):
            yield from _flattened(ctx, branch.body.body)
        elif branch is not None:
            yield branch


def _is_decided_by_python(ctx: FixContext, test: cst.BaseExpression) -> bool:
    """Return whether Python decides a test; a comparison with a string is never a tensor."""
    text = match.Comparison(comparisons=[match.ComparisonTarget(comparator=match.SimpleString())])
    return is_pure(ctx, test) and (match.matches(test, text) or not may_be_tensor(ctx, test))


def _assigns_only_temporaries(ctx: FixContext, loop: cst.While, line: cst.CSTNode) -> bool:
    """Return whether only the loop reads the variables that a line assigns."""
    function = ctx.tree.enclosing(loop, cst.FunctionDef)
    targets = [cst.ensure_type(each, cst.AssignTarget).target for each in match.findall(line, match.AssignTarget())]
    names = [target.value for target in targets if isinstance(target, cst.Name)]
    return all(
        _is_inside(ctx, use, loop) for name in names for use in match.findall(function or loop, match.Name(name))
    )


def _is_inside(ctx: FixContext, node: cst.CSTNode, loop: cst.While) -> bool:
    return any(outer is loop for outer in ctx.tree.ancestors(node))
