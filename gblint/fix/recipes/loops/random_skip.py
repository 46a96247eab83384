"""Steps that are skipped on a tensor value, often at random: computed in any case, and the results dropped."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.recipes._build import (
    EXITS,
    all_parameters,
    free_name,
    operand_text,
    operands,
    parse_statement,
    sole_statement,
)
from gblint.fix.recipes._effects import has_effect, is_by_chance
from gblint.fix.recipes._in_place import is_written
from gblint.fix.recipes._picking import value_before
from gblint.fix.recipes._predicates import guarded_predicate, scalar_predicate
from gblint.fix.recipes._values import is_tensor, is_zero_dim, may_be_tensor
from gblint.fix.recipes.branches.early_return import has_no_visible_effect
from gblint.values.base import NONE, Const, Tensor, members

_TITLE = "always compute the step, and keep the old values if it is skipped"


def where_instead_of_continue(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if t: continue`` in a loop to the rest of the step and ``torch.where`` with the old values.

    The branch may be in an ``if`` that Python decides, such as ``if self.training:``, or test that first.
    Preconditions: the rest only assigns tensors that have a value before, and its calls get no object that they may
    change, such as a cache. Unsafe: skipped steps are computed.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None or not _only_continues(branch.body):
        return None
    guarded = guarded_predicate(ctx, branch.test)
    block = ctx.tree.parent(branch)
    outer = None if block is None else ctx.tree.parent(block)
    if guarded is None or not isinstance(block, cst.IndentedBlock):
        return None
    guards, top = list(guarded.before), branch
    if isinstance(outer, cst.If):
        # The guard has to be no tensor, and to end with the branch.
        if outer.orelse is not None or block.body[-1] is not branch or is_tensor(ctx.value(outer.test)):
            return None
        guards[:0] = [operand_text(ctx, part) for part in operands(outer.test, cst.And)]
        top, block = outer, ctx.tree.parent(outer)
        outer = None if block is None else ctx.tree.parent(block)
    if not isinstance(outer, cst.For) or not isinstance(block, cst.IndentedBlock):
        return None
    position = next(i for i, line in enumerate(block.body) if line is top)
    rest = block.body[position + 1 :]
    if has_effect(ctx, rest, by_chance=is_by_chance(ctx, branch.test)):
        return None
    carried = carried_tensors(ctx, outer, block.body[: position + 1], rest)
    if not carried:
        return None
    condition = guarded.condition
    return _rewrite(ctx, branch, " and ".join(guards), condition.true_text, carried, rest, condition.torch)


def where_instead_of_flag(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if not skip: x = layer(x)`` in a loop to the step and ``torch.where`` with the old values.

    The flag is False or a tensor; the test may also be ``not skip or always``. Precondition: the branch assigns
    tensors only. Unsafe: skipped steps are computed.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or ctx.tree.enclosing(branch, cst.For) is None:
        return None
    torch, imports = ctx.module_reference("torch")
    tested = _tested_flag(ctx, branch)
    if tested is None:
        return None
    flag, skips, otherwise = tested
    value = ctx.value(flag)
    if value is None or not any(is_tensor(v) for v in members(value)):
        return None
    others = [v for v in members(value) if not is_tensor(v)]
    if any(not isinstance(v, Const) or v.value is not (not skips) for v in others):
        return None
    replace = _run_always(ctx, branch, flag.value, skips, otherwise, torch, maybe=bool(others))
    return None if replace is None else Rewrite(_TITLE, "unsafe", replace, imports)


def tensor_flag(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if t: skip = True`` and a later ``if not skip: x = layer(x)`` to ``skip = t``.

    The second statement is rewritten as in ``where_instead_of_flag``.
    Preconditions: the flag is False at first and only tested. Unsafe: skipped steps are computed.
    """
    branch = ctx.enclosing(cst.If)
    small = sole_statement(branch.body.body) if isinstance(branch, cst.If) else None
    if not isinstance(branch, cst.If) or branch.orelse is not None or not isinstance(small, cst.Assign):
        return None
    target, condition = small.targets[0].target, scalar_predicate(ctx, branch.test)
    if condition is None or not isinstance(target, cst.Name) or len(small.targets) != 1:
        return None
    function = ctx.tree.enclosing(branch, cst.FunctionDef)
    if function is None or ctx.code(small.value) != "True" or not _starts_false(function, target.value, small):
        return None
    replace: dict[cst.CSTNode, Replacement] = {}
    uses = [
        n
        for n in match.findall(function, match.Name(target.value))
        if isinstance(n, cst.Name) and not isinstance(ctx.tree.parent(n), cst.AssignTarget)
    ]
    for use in uses:
        user = ctx.tree.enclosing(use, cst.If)
        tested = None if user is None or user is branch else _tested_flag(ctx, user)
        if user is None or tested is None or tested[0] is not use:
            return None
        parts = _run_always(ctx, user, target.value, tested[1], tested[2], condition.torch, maybe=True)
        if parts is None:
            return None
        replace.update(parts)
    if not uses or ctx.tree.enclosing(branch, cst.For) is None:
        return None
    new = parse_statement(ctx.tree, f"{target.value} = {condition.true_text}")
    replace[branch] = new.with_changes(leading_lines=branch.leading_lines)
    return Rewrite(_TITLE, "unsafe", replace, condition.imports)


def run_branch_always(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if t: x = f(x); x = g(x)`` to the body, followed by ``torch.where`` with the old values.

    Preconditions: the body has no visible effect, does not raise and draws no random numbers, and its variables are
    tensors that exist before. Unsafe: the body runs in any case.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None or not isinstance(branch.body, cst.IndentedBlock):
        return None
    function, guarded = ctx.tree.enclosing(branch, cst.FunctionDef), guarded_predicate(ctx, branch.test)
    if guarded is None or function is None or isinstance(ctx.tree.parent(branch), cst.If):
        return None
    condition, body = guarded.condition, branch.body.body
    lines = [line for line in body if isinstance(line, cst.BaseStatement)]
    if not all(has_no_visible_effect(ctx, line) for line in lines):
        return None
    # A variable that is assigned under another branch may not exist before.
    targets = match.findall(branch, match.AssignTarget() | match.AnnAssign())
    set_here = {n.value for t in targets for n in _names(t.target if isinstance(t, cst.AnnAssign) else t)}
    outside = [name for name in sorted(set_here) if _is_read_later(ctx, branch, function, name)]
    if not outside or not all(_is_assigned_before(ctx, branch, function, name) for name in outside):
        return None
    if not all(_has_old_value(ctx, branch, name, alike=True) for name in outside):
        return None
    assigned = [each for each in match.findall(branch, match.Assign()) if isinstance(each, cst.Assign)]
    plain = [each for each in assigned if any(ctx.code(target.target) in outside for target in each.targets)]
    if not all(is_tensor(ctx.value(each.value)) for each in plain):
        return None
    # A view would be replaced by a copy, which a later change in place does not go through.
    if any(is_written(ctx, name, ctx.tree.bounds(branch)[1]) for name in outside):
        return None
    taken = free_name(ctx, branch, "taken")
    saved = {name: free_name(ctx, branch, f"{name}_before") for name in outside}
    before = [f"{taken} = {condition.true_text}", *(f"{old} = {name}" for name, old in saved.items())]
    after = [f"{name} = {condition.torch}.where({taken}, {name}, {old})" for name, old in saved.items()]
    new = [
        *(parse_statement(ctx.tree, each) for each in before),
        *lines,
        *(parse_statement(ctx.tree, each) for each in after),
    ]
    if guarded.before:
        guard = cst.parse_expression(guarded.guard)
        replace: Replacement = branch.with_changes(test=guard, body=branch.body.with_changes(body=new))
    else:
        new[0] = new[0].with_changes(leading_lines=branch.leading_lines)
        replace = cst.FlattenSentinel(new)
    title = "always run the branch, and keep the old values if the condition is false"
    return Rewrite(title, "unsafe", {branch: replace}, condition.imports)


def _is_read_later(ctx: FixContext, branch: cst.If, function: cst.FunctionDef, name: str) -> bool:
    """Return whether a variable is used behind ``branch``, or anywhere else if a loop may come back to it."""
    uses = [use for use in match.findall(function, match.Name(name)) if use not in match.findall(branch, match.Name())]
    loop = ctx.tree.enclosing(branch, cst.For) or ctx.tree.enclosing(branch, cst.While)
    end = ctx.tree.bounds(branch)[1]
    return any(loop is not None or ctx.tree.bounds(use)[0] >= end for use in uses)


def _is_assigned_before(ctx: FixContext, branch: cst.If, function: cst.FunctionDef, name: str) -> bool:
    """Return whether a variable is assigned on every path to ``branch``."""
    if any(each.name.value == name for each in all_parameters(function.params)):
        return True
    around = {id(outer) for outer in ctx.tree.ancestors(branch)}
    start = ctx.tree.bounds(branch)[0]
    for target in match.findall(function, match.AssignTarget()):
        line = ctx.tree.enclosing(target, cst.SimpleStatementLine)
        in_time = line is not None and id(ctx.tree.parent(line)) in around and ctx.tree.bounds(line)[0] < start
        if in_time and any(each.value == name for each in _names(target)):
            return True
    return False


def _names(node: cst.CSTNode) -> list[cst.Name]:
    return [each for each in match.findall(node, match.Name()) if isinstance(each, cst.Name)]


def _starts_false(function: cst.FunctionDef, name: str, but: cst.Assign) -> bool:
    """Return whether the variable is first False and assigned by ``but`` only."""
    sets = [
        n for n in match.findall(function, match.Assign(targets=[match.AssignTarget(match.Name(name))])) if n is not but
    ]
    names = match.findall(function, match.AssignTarget(match.Name(name)) | match.AugAssign(match.Name(name)))
    return len(names) == 2 and len(sets) == 1 and match.matches(sets[0], match.Assign(value=match.Name("False")))


def _tested_flag(ctx: FixContext, branch: cst.If) -> tuple[cst.Name, bool, list[str]] | None:
    """Return the flag of ``if not flag or a or b:``, whether it skips the branch, and the other conditions."""
    flag, *others = operands(branch.test, cst.Or)
    skips = isinstance(flag, cst.UnaryOperation) and isinstance(flag.operator, cst.Not)
    if isinstance(flag, cst.UnaryOperation):
        flag = flag.expression
    if not isinstance(flag, cst.Name) or branch.orelse is not None or any(may_be_tensor(ctx, o) for o in others):
        return None
    return flag, skips, [operand_text(ctx, other) for other in others]


def _run_always(
    ctx: FixContext, branch: cst.If, flag: str, skips: bool, otherwise: list[str], torch: str, *, maybe: bool
) -> dict[cst.CSTNode, Replacement] | None:
    """Return the replacement that runs the branch in any case; ``maybe``: the flag may be a Python bool."""
    function = ctx.tree.enclosing(branch, cst.FunctionDef)
    body = branch.body.body
    parent = ctx.tree.parent(branch)
    if function is None or isinstance(parent, cst.If) or not isinstance(branch.body, cst.IndentedBlock):
        return None
    if any(match.findall(line, EXITS | match.Expr(match.Call())) for line in body):
        return None
    if has_effect(ctx, body, by_chance=is_by_chance(ctx, branch.test)):
        return None
    names = [
        name
        for name in _assigned_names([line for line in body if isinstance(line, cst.BaseStatement)])
        if len(match.findall(function, match.Name(name))) > len(match.findall(branch, match.Name(name)))
    ]
    if not names or not all(_has_old_value(ctx, branch, name) for name in names):
        return None
    saved = {name: f"{name}_before" for name in names}
    if any(match.findall(function, match.Name(name)) for name in saved.values()):
        return None
    before = [parse_statement(ctx.tree, f"{old} = {name}") for name, old in saved.items()]
    before[0] = before[0].with_changes(leading_lines=branch.leading_lines)
    sides = [(old, name) if skips else (name, old) for name, old in saved.items()]
    picks = [f"{name} = {torch}.where({flag}, {a}, {b})" for name, (a, b) in zip(names, sides)]
    tests = [f"isinstance({flag}, {torch}.Tensor)"] if maybe else []
    tests += [f"not {other}" for other in otherwise]
    if tests:
        text = "".join(f"    {pick}\n" for pick in picks)
        last = [parse_statement(ctx.tree, f"if {' and '.join(tests)}:\n{text}")]
    else:
        last = [parse_statement(ctx.tree, pick) for pick in picks]
    return {branch: cst.FlattenSentinel([*before, *body, *last])}


def _has_old_value(ctx: FixContext, branch: cst.If, name: str, *, alike: bool = False) -> bool:
    """Return whether the old value may be picked: a tensor, or None before a first step that is taken.

    With ``alike`` all known dtypes have to be equal. A tensor without dimensions replaces no other one.
    """
    uses = [ctx.value(use) for use in match.findall(branch.body, match.Name(name))]
    found = [v for value in (value_before(ctx, branch, name), *uses) if value is not None for v in members(value)]
    if NONE in found and not _depends_on_step(ctx, branch):
        return False
    found = [v for v in found if v != NONE]
    kinds = {v.dtype for v in found if isinstance(v, Tensor)} - {None}
    sets = match.findall(branch.body, match.Assign([match.AssignTarget(match.Name(name))]))
    if any(isinstance(each, cst.Assign) and is_zero_dim(ctx.value(each.value)) for each in sets):
        if not is_zero_dim(value_before(ctx, branch, name)):
            return False
    return bool(found) and all(is_tensor(v) for v in found) and not (alike and len(kinds) > 1)


def _depends_on_step(ctx: FixContext, branch: cst.If) -> bool:
    """Return whether the step of the loop decides with others whether the branch is taken, as in ``i > 0 and t``."""
    loop = ctx.tree.enclosing(branch, cst.For)
    if not isinstance(loop, cst.For):
        return False
    steps = {each.value for each in _names(loop.target)}
    tested = [each.value for each in _names(branch.test)]
    if steps.intersection(tested):
        return True
    sets = [
        each
        for each in match.findall(loop.body, match.Assign([match.AssignTarget(match.Name())]))
        if isinstance(each, cst.Assign)
        and ctx.code(each.targets[0].target) in tested
        and ctx.code(each.value) not in ("True", "False")
    ]
    return bool(sets) and all(_mentions(ctx, each, steps, loop) for each in sets)


def _mentions(ctx: FixContext, small: cst.Assign, names: Collection[str], loop: cst.For) -> bool:
    """Return whether a statement, or a test on the way to it from ``loop``, reads one of the variables."""
    read = [small.value]
    for outer in ctx.tree.ancestors(small):
        if outer is loop:
            break
        read += [outer.test] if isinstance(outer, cst.If) else []
    return any(each.value in names for node in read for each in _names(node))


def _only_continues(suite: cst.BaseSuite) -> bool:
    """Return whether a block is a single ``continue``."""
    return isinstance(sole_statement(suite.body), cst.Continue)


def carried_tensors(
    ctx: FixContext, loop: cst.For | cst.While, before: Sequence[cst.CSTNode], rest: Sequence[cst.BaseStatement]
) -> list[str]:
    """Return the tensors that a step passes to the next one; none if it also passes on something else.

    A step begins with ``before``.
    """
    if not rest or any(match.findall(line, EXITS) for line in rest):
        return []
    if any(match.findall(line, match.Expr(match.Call())) for line in rest):
        return []
    carried: list[str] = []
    for name in _assigned_names(rest):
        if not _is_read_first(name, (*before, *rest)) and not _is_read_after(ctx, loop, name):
            continue
        uses = [use for line in (*rest, *before) for use in match.findall(line, match.Name(name))]
        values = [value for value in map(ctx.value, uses) if value is not None]
        if values and all(is_tensor(value) for value in values):
            carried.append(name)
        else:
            return []
    return carried


def _assigned_names(lines: Sequence[cst.CSTNode]) -> list[str]:
    """Return the variables that these lines assign; branches are not entered."""
    names: list[str] = []
    for line in lines:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            targets = [t.target for t in small.targets] if isinstance(small, cst.Assign) else []
            if isinstance(small, (cst.AugAssign, cst.AnnAssign)):
                targets = [small.target]
            for target in targets:
                parts = [e.value for e in target.elements] if isinstance(target, (cst.Tuple, cst.List)) else [target]
                names += [part.value for part in parts if isinstance(part, cst.Name)]
    return list(dict.fromkeys(names))


def _is_read_first(name: str, lines: Sequence[cst.CSTNode]) -> bool:
    """Return whether a step reads the variable before it assigns it."""
    for line in lines:
        sets = name in _assigned_names([line])
        count = len(match.findall(line, match.Name(name)))
        if count > int(sets):
            return True
        if sets:
            return False
    return False


def _is_read_after(ctx: FixContext, loop: cst.For | cst.While, name: str) -> bool:
    """Return whether the variable is read after the loop."""
    block = ctx.tree.parent(loop)
    if not isinstance(block, cst.IndentedBlock):
        return True
    position = next(i for i, line in enumerate(block.body) if line is loop)
    return any(match.findall(line, match.Name(name)) for line in block.body[position + 1 :])


def _rewrite(
    ctx: FixContext,
    branch: cst.If,
    guard: str,
    condition_text: str,
    carried: Sequence[str],
    rest: Sequence[cst.BaseStatement],
    torch: str,
) -> Rewrite | None:
    """Return the rewrite that saves the carried tensors before the rest of the step and picks them after it."""
    function = ctx.tree.enclosing(branch, cst.FunctionDef)
    old = {name: f"{name}_before" for name in carried}
    if function is None or any(match.findall(function, match.Name(n)) for n in ("skipped", *old.values())):
        return None
    flag_line = parse_statement(ctx.tree, f"skipped = {condition_text}").with_changes(
        leading_lines=branch.leading_lines
    )
    saves = [parse_statement(ctx.tree, f"{saved} = {name}") for name, saved in old.items()]
    picks = [f"{name} = {torch}.where(skipped, {saved}, {name})" for name, saved in old.items()]
    if not guard:
        last: list[cst.BaseStatement] = [parse_statement(ctx.tree, line) for line in picks]
    else:
        body = "".join(f"    {line}\n" for line in picks)
        last = [parse_statement(ctx.tree, f"if {guard}:\n{body}")]
    replace: dict[cst.CSTNode, cst.FlattenSentinel[cst.CSTNode]] = {}
    replace[branch] = cst.FlattenSentinel([flag_line, *saves])
    replace[rest[-1]] = cst.FlattenSentinel([rest[-1], *last])
    return Rewrite(_TITLE, "unsafe", replace)
