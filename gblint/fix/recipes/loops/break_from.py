"""Loops that a tensor value ends: all possible steps run, and steps after the end change nothing."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.recipes._build import (
    EXITS,
    as_operand,
    free_name,
    in_compiled_code,
    operands,
    parse_statement,
    sole_statement,
)
from gblint.fix.recipes._in_place import is_written
from gblint.fix.recipes._predicates import guarded_predicate, scalar_predicate
from gblint.fix.recipes._values import is_number, is_tensor
from gblint.fix.recipes.loops.random_skip import carried_tensors

_TITLE = "run all steps, and keep the values that the loop had when it ended"


def where_instead_of_break(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if t: break`` at the start or end of a ``for`` loop: ``torch.where`` keeps the values of the end.

    Preconditions: the steps only assign tensors and leave the loop in no other way, and its variable is not read after
    it. Unsafe: all steps are computed.
    """
    branch = ctx.enclosing(cst.If)
    block = None if branch is None else ctx.tree.parent(branch)
    loop = None if block is None else ctx.tree.parent(block)
    if not isinstance(branch, cst.If) or not isinstance(block, cst.IndentedBlock) or not isinstance(loop, cst.For):
        return None
    if branch.orelse is not None or loop.orelse is not None or not _only_breaks(branch.body):
        return None
    guarded = guarded_predicate(ctx, branch.test)
    at_end = block.body[-1] is branch
    if guarded is None or guarded.before or not (at_end or block.body[0] is branch):
        return None
    rest = [line for line in block.body if line is not branch]
    names = _carried(ctx, loop, rest)
    counters = [n.value for n in match.findall(loop.target, match.Name()) if isinstance(n, cst.Name)]
    if not names or any(_is_read_after(ctx, loop, counter) for counter in counters):
        return None
    condition, stopped = guarded.condition, free_name(ctx, loop, "stopped")
    saves, picks = _save_and_pick(ctx, names, condition.torch, f"{stopped}, {{old}}, {{new}}")
    flag_line = parse_statement(ctx.tree, f"{stopped} = {stopped} | {as_operand(condition.true_text)}")
    flag_line = flag_line.with_changes(leading_lines=branch.leading_lines)
    start = _flag_start(ctx, loop, f"{stopped} = {condition.torch}.zeros((), dtype={condition.torch}.bool, ", names)
    body = [*saves, *rest, *picks, flag_line] if at_end else [flag_line, *saves, *rest, *picks]
    new = loop.with_changes(body=block.with_changes(body=body), leading_lines=[])
    return Rewrite(_TITLE, "unsafe", {loop: cst.FlattenSentinel([start, new])}, condition.imports)


def for_instead_of_while(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``while i < n and t: ...; i += 1`` to ``for i in range(n)``, in which later steps change nothing.

    Preconditions: ``i`` starts at 0 right before the loop and is not read after it; the steps only assign tensors.
    Unsafe: all ``n`` steps are computed.
    """
    loop = ctx.enclosing(cst.While)
    if not isinstance(loop, cst.While) or loop.orelse is not None or not isinstance(loop.body, cst.IndentedBlock):
        return None
    parts = operands(loop.test, cst.And)
    counter, bound = _counter_and_bound(ctx, parts[0])
    block = ctx.tree.parent(loop)
    if len(parts) != 2 or counter is None or bound is None or not isinstance(block, cst.IndentedBlock):
        return None
    position = next(i for i, line in enumerate(block.body) if line is loop)
    start = block.body[position - 1] if position else None
    steps = [line for line in loop.body.body if is_increment(line, counter)]
    rest = [line for line in loop.body.body if line not in steps]
    starts = match.matches(
        start or loop,
        match.SimpleStatementLine([match.Assign([match.AssignTarget(match.Name(counter))], match.Integer("0"))]),
    )
    if not starts or len(steps) != 1 or loop.body.body[-1] is not steps[0] or _is_read_after(ctx, loop, counter):
        return None
    condition = scalar_predicate(ctx, parts[1])
    names = [] if condition is None else _carried(ctx, loop, rest)
    if condition is None or start is None or not names:
        return None
    running = free_name(ctx, loop, "running")
    saves, picks = _save_and_pick(ctx, names, condition.torch, f"{running}, {{new}}, {{old}}")
    flag_line = parse_statement(ctx.tree, f"{running} = {running} & {as_operand(condition.true_text)}")
    first = _flag_start(ctx, loop, f"{running} = {condition.torch}.ones((), dtype={condition.torch}.bool, ", names)
    head = parse_statement(ctx.tree, f"for {counter} in range({bound}):\n    pass\n")
    assert isinstance(head, cst.For)
    new = head.with_changes(body=loop.body.with_changes(body=[flag_line, *saves, *rest, *picks]))
    replace: dict[cst.CSTNode, Replacement] = {start: cst.RemoveFromParent(), loop: cst.FlattenSentinel([first, new])}
    return Rewrite(_TITLE, "unsafe", replace, condition.imports)


def use_while_loop(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``while t: ...`` to ``torch.while_loop`` in compiled code.

    Preconditions: the steps only assign tensors. Unsafe: each step has to give tensors of the same shape and dtype,
    parameters cannot be captured, and the gradient is wrong if no step is taken (torch 2.13).
    """
    loop = ctx.enclosing(cst.While)
    if not isinstance(loop, cst.While) or loop.orelse is not None or not isinstance(loop.body, cst.IndentedBlock):
        return None
    condition = scalar_predicate(ctx, loop.test)
    names = [] if condition is None else _carried(ctx, loop, loop.body.body, (loop.test,))
    if condition is None or not names:
        return None
    goes_on, step = free_name(ctx, loop, "goes_on"), free_name(ctx, loop, "step")
    listed = ", ".join(names)
    flag_line = parse_statement(ctx.tree, f"def {goes_on}({listed}):\n    return {condition.true_text}\n")
    made = parse_statement(ctx.tree, f"def {step}({listed}):\n    pass\n")
    assert isinstance(made, cst.FunctionDef)
    copies = ", ".join(f"{name}.clone()" for name in names)
    results = parse_statement(ctx.tree, f"return ({copies},)" if len(names) == 1 else f"return {copies}")
    made = made.with_changes(
        body=loop.body.with_changes(body=[*loop.body.body, results]), leading_lines=[cst.EmptyLine(indent=False)]
    )
    comma = "," if len(names) == 1 else ""
    call = f"({listed}{comma})" if comma else listed
    # Two variables may hold the same tensor at first.
    starts = listed if comma else copies
    last = parse_statement(ctx.tree, f"{call} = {condition.torch}.while_loop({goes_on}, {step}, ({starts}{comma}))")
    last = last.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    title = (
        "use `torch.while_loop`: each step must keep the shapes and dtypes, and cannot use parameters; the gradient is "
        "wrong if no step runs"
    )
    replace = in_compiled_code(ctx, loop, [flag_line, made, last], condition.torch)
    return Rewrite(title, "unsafe", replace, condition.imports, last_resort=True)


def _carried(
    ctx: FixContext, loop: cst.For | cst.While, lines: Sequence[cst.BaseStatement], before: Sequence[cst.CSTNode] = ()
) -> list[str]:
    """Return the tensors that a step passes to the next one; none if it changes anything else that is read later."""
    if any(match.findall(line, EXITS | match.NamedExpr() | match.Del()) for line in lines):
        return []
    if any(not isinstance(line, cst.SimpleStatementLine) for line in lines):
        return []
    smalls = [small for line in lines for small in getattr(line, "body", ())]
    if not all(isinstance(small, (cst.Assign, cst.AugAssign, cst.AnnAssign)) for small in smalls):
        return []
    # A change in place would also change the saved old value.
    for small in smalls:
        if isinstance(small, cst.AugAssign) and is_tensor(ctx.value(small.value)):
            return []
        targets = [t.target for t in small.targets] if isinstance(small, cst.Assign) else [small.target]
        if any(not match.matches(t, match.Name() | match.Tuple()) for t in targets):
            return []
    names = carried_tensors(ctx, loop, before, lines)
    # If no step is taken, a later change in place is meant for what the variable was before.
    end = ctx.tree.bounds(loop)[1]
    return [] if any(is_written(ctx, name, end) for name in names) else names


def _save_and_pick(
    ctx: FixContext, names: Sequence[str], torch: str, pick: str
) -> tuple[list[cst.BaseStatement], list[cst.BaseStatement]]:
    """Return the lines that save the old values, and the lines that pick the old or the new ones."""
    saves = [parse_statement(ctx.tree, f"{name}_before = {name}") for name in names]
    picks = [
        parse_statement(ctx.tree, f"{name} = {torch}.where({pick.format(old=f'{name}_before', new=name)})")
        for name in names
    ]
    return saves, picks


def _flag_start(ctx: FixContext, loop: cst.For | cst.While, text: str, names: Sequence[str]) -> cst.BaseStatement:
    """Return the statement before the loop that initializes the flag on the device of the first tensor."""
    return parse_statement(ctx.tree, f"{text}device={names[0]}.device)").with_changes(leading_lines=loop.leading_lines)


def _only_breaks(suite: cst.BaseSuite) -> bool:
    return isinstance(sole_statement(suite.body), cst.Break)


def _counter_and_bound(ctx: FixContext, test: cst.BaseExpression) -> tuple[str | None, str | None]:
    """Return the counter and the bound of ``i < n``."""
    found = match.extract(
        test,
        match.Comparison(
            match.Name(match.SaveMatchedNode(match.DoNotCare(), "counter")),
            [match.ComparisonTarget(match.LessThan(), match.SaveMatchedNode(match.DoNotCare(), "bound"))],
        ),
    )
    if not found or not isinstance(test, cst.Comparison) or not isinstance(test.left, cst.Name):
        return None, None
    bound = test.comparisons[0].comparator
    return (test.left.value, ctx.code(bound)) if is_number(ctx.value(bound)) else (None, None)


def is_increment(line: cst.CSTNode, counter: str) -> bool:
    """Return whether a line increments ``counter`` by one."""
    step = match.AugAssign(match.Name(counter), match.AddAssign(), match.Integer("1"))
    return match.matches(line, match.SimpleStatementLine([step]))


def _is_read_after(ctx: FixContext, loop: cst.While | cst.For, name: str) -> bool:
    """Return whether the variable is read after the loop."""
    function = ctx.tree.enclosing(loop, cst.FunctionDef)
    end = ctx.tree.bounds(loop)[1]
    return function is None or any(ctx.tree.bounds(n)[0] >= end for n in match.findall(function, match.Name(name)))
