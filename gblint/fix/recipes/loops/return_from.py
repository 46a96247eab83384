"""Loops that return on a tensor value: all steps run, and the values to be returned are kept."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._branch_merge import BranchMerge
from gblint.fix.recipes._build import free_name, lines_after, parse_statement
from gblint.fix.recipes._picking import value_before
from gblint.fix.recipes._predicates import guarded_predicate, parenthesized
from gblint.fix.recipes._purity import only_assigns_and_returns
from gblint.fix.recipes._values import is_int, is_number, is_tensor


def where_instead_of_loop_return(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if t: x = a; return x`` at the end of the steps of a ``for`` loop before ``return x``.

    ``torch.where`` picks the values that the step assigns, and later steps change nothing. Preconditions: both
    returns have the same variables, and the steps only compute. Unsafe: all steps are computed, and returned numbers
    become tensors.
    """
    branch = ctx.enclosing(cst.If)
    block = None if branch is None else ctx.tree.parent(branch)
    loop = None if block is None else ctx.tree.parent(block)
    if not isinstance(branch, cst.If) or not isinstance(loop, cst.For) or not isinstance(block, cst.IndentedBlock):
        return None
    following = lines_after(ctx, loop)
    guarded = guarded_predicate(ctx, branch.test)
    if branch.orelse is not None or loop.orelse is not None or guarded is None or guarded.before or not following:
        return None
    names = _returned_names(branch.body.body[-1])
    lines = block.body[:-1]
    if (
        block.body[-1] is not branch
        or not names
        or names != _returned_names(following[0])
        or _assigns_any(lines, names)
        or any(match.findall(loop.target, match.Name(name)) for name in names)
    ):
        return None
    if lines and not only_assigns_and_returns(ctx, lines):
        return None
    tensors = [name for name in names if is_tensor(value_before(ctx, branch, name))]
    returns, returned = (free_name(ctx, loop, name) for name in ("returns", "returned"))
    condition, torch = guarded.condition.in_variable(returns), guarded.condition.torch
    numbers = {id(line): _number_pick(ctx, branch, line, names, returns, torch) for line in branch.body.body[:-1]}
    step = [line for line in branch.body.body[:-1] if not numbers[id(line)]]
    picked = BranchMerge(ctx, branch, condition).merged_lines(branch.body.with_changes(body=step), None)
    if picked is None or not tensors:
        return None
    flag_line = parse_statement(ctx.tree, f"{returns} = ~{returned} & {parenthesized(guarded.condition.true_text)}")
    after = [*picked, *(text for text in numbers.values() if text), f"{returned} = {returned} | {returns}"]
    body = [
        *lines,
        flag_line.with_changes(leading_lines=branch.leading_lines),
        *(parse_statement(ctx.tree, text) for text in after),
    ]
    start = parse_statement(ctx.tree, f"{returned} = {torch}.zeros((), dtype={torch}.bool, device={tensors[0]}.device)")
    start = start.with_changes(leading_lines=loop.leading_lines)
    new = loop.with_changes(body=block.with_changes(body=body), leading_lines=[])
    title = "run the whole loop, and keep the values to return"
    return Rewrite(title, "unsafe", {loop: cst.FlattenSentinel([start, new])}, guarded.condition.imports)


def _returned_names(line: cst.CSTNode) -> list[str]:
    """Return the variables that a line returns; none if it does anything else."""
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
    value = small.value if isinstance(small, cst.Return) else None
    parts = [each.value for each in value.elements] if isinstance(value, cst.Tuple) else [value]
    names = [each.value for each in parts if isinstance(each, cst.Name)]
    return names if len(names) == len(parts) else []


def _assigns_any(lines: Sequence[cst.CSTNode], names: Sequence[str]) -> bool:
    """Return whether the lines assign one of the variables."""
    targets = [target for line in lines for target in match.findall(line, match.AssignTarget() | match.AugAssign())]
    return any(match.findall(target, match.Name(name)) for target in targets for name in names)


def _number_pick(
    ctx: FixContext, branch: cst.If, line: cst.CSTNode, names: Sequence[str], returns: str, torch: str
) -> str | None:
    """Return the line that picks a number for a returned variable; None if ``line`` does not assign one.

    The picked number is a tensor.
    """
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
    target = small.targets[0].target if isinstance(small, cst.Assign) and len(small.targets) == 1 else None
    if not isinstance(small, cst.Assign) or not isinstance(target, cst.Name) or target.value not in names:
        return None
    name, old, new = target.value, value_before(ctx, branch, target.value), ctx.value(small.value)
    # Once in the assignment and once in the return.
    if len(match.findall(branch, match.Name(name))) != 2 or not is_number(old) or not is_number(new):
        return None
    # ``torch.where`` of two Python floats has single precision.
    value = ctx.code(small.value)
    text = value if is_int(old) and is_int(new) else f"{torch}.full((), {value}, dtype={torch}.float64)"
    return f"{name} = {torch}.where({returns}, {text}, {name})"
