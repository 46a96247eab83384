"""Flags that are a Python bool or a tensor: comparisons of whole tensors, and branches on them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.names import NameUses
from gblint.fix.recipes._branch_merge import BranchMerge
from gblint.fix.recipes._build import (
    called_name,
    free_name,
    lines_after,
    operand_text,
    operands,
    parse_statement,
    primary_text,
)
from gblint.fix.recipes._picking import TITLE, same_kind
from gblint.fix.recipes._predicates import Predicate
from gblint.fix.recipes._purity import is_pure, only_assigns_and_returns
from gblint.fix.recipes._values import is_tensor, may_be_tensor
from gblint.runtime.quiet_parse import parse_module
from gblint.values.base import Const, Scalar, members

# A rest of at most this many lines is repeated.
_SHORT = 4
_JOINED = (cst.BooleanOperation, cst.UnaryOperation)


def compare_in_graph(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``same = torch.equal(a, b)`` to ``same = a.shape == b.shape and (a == b).all()``.

    Preconditions: the variable is only tested or passed on, and both operands are pure. Unsafe: the result is a
    tensor instead of a bool.
    """
    call, small = ctx.node, ctx.statement
    pair = _pair(ctx, call)
    if pair is None or not isinstance(small, cst.Assign) or small.value is not call or len(small.targets) != 1:
        return None
    target, function = small.targets[0].target, ctx.tree.enclosing(call, cst.FunctionDef)
    if not isinstance(target, cst.Name) or function is None or not all(is_pure(ctx, each) for each in pair):
        return None
    uses = [n for n in match.findall(function, match.Name(target.value)) if n is not target]
    if not uses or not all(_is_tested(ctx, use) for use in uses):
        return None
    one, other = (primary_text(ctx.tree, each) for each in pair)
    text = f"{one}.shape == {other}.shape and ({one} == {other}).all()"
    return Rewrite("compare the tensors in the graph", "unsafe", {call: cst.parse_expression(text)})


def _pair(ctx: FixContext, call: cst.BaseExpression) -> list[cst.BaseExpression] | None:
    """Return the two tensors that ``torch.equal(a, b)`` or ``a.equal(b)`` compares."""
    if not isinstance(call, cst.Call) or any(arg.star or arg.keyword for arg in call.args):
        return None
    tensors = [arg.value for arg in call.args]
    if called_name(ctx, call) != "torch.equal":
        if not match.matches(call.func, match.Attribute(attr=match.Name("equal"))):
            return None
        tensors.insert(0, cst.ensure_type(call.func, cst.Attribute).value)
    return tensors if len(tensors) == 2 and all(is_tensor(ctx.value(each)) for each in tensors) else None


def _is_tested(ctx: FixContext, use: cst.CSTNode) -> bool:
    """Return whether a use of a variable tests its truth or passes it to a call."""
    inner, outer = use, ctx.tree.parent(use)
    while isinstance(outer, _JOINED):
        inner, outer = outer, ctx.tree.parent(outer)
    if isinstance(outer, cst.Arg):
        return inner is use and not outer.star
    return isinstance(outer, (cst.If, cst.IfExp)) and outer.test is inner


def where_if_tensor(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if flag: y = a`` with a ``flag`` that is a bool or a tensor: ``torch.where`` for the tensor.

    The branch stays for the bool. Other operands of the test have to be decided by Python. Unsafe: with a tensor both
    sides are computed.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or isinstance(branch.orelse, cst.If):
        return None
    torch, imports = ctx.module_reference("torch")
    parts = operands(branch.test, cst.And)
    undecided = [part for part in parts if may_be_tensor(ctx, _without_not(part))]
    plain = [operand_text(ctx, part) for part in parts if part not in undecided]
    if len(undecided) != 1 or not all(is_pure(ctx, part) for part in parts):
        return None
    flag, negated = _without_not(undecided[0]), isinstance(undecided[0], cst.UnaryOperation)
    if not isinstance(flag, cst.Name) or not _is_bool_or_tensor(ctx, flag):
        return None
    condition = Predicate(flag.value, negated, torch, imports)
    lines = BranchMerge(ctx, branch, condition).merged_lines(branch.body, branch.orelse)
    if lines is None:
        return None
    is_tensor_test, is_set = f"isinstance({flag.value}, {torch}.Tensor)", "not " * negated + flag.value
    # Without other operands the test of the tensor has already told them apart.
    otherwise_tests = [*plain, f"not {is_tensor_test}", is_set] if plain else [is_set]
    first, second = (cst.parse_expression(" and ".join(each)) for each in ([*plain, is_tensor_test], otherwise_tests))
    picked = cst.parse_module("".join(f"{line}\n" for line in lines), config=ctx.tree.module.config_for_parsing)
    otherwise = branch.with_changes(test=second, leading_lines=[])
    new = branch.with_changes(test=first, body=cst.IndentedBlock(picked.body), orelse=otherwise)
    return Rewrite(TITLE, "unsafe", {branch: new}, imports)


def return_where_if_tensor(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if flag: return a`` and a later ``return b`` with a ``flag`` that is a bool or a tensor.

    For a tensor both results are computed and ``torch.where`` picks one; for a bool the code stays. Preconditions:
    both parts only compute, and the rest has at most four statements, since it is repeated. Unsafe: with a tensor
    both parts run.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None:
        return None
    rest = lines_after(ctx, branch)
    if rest is None or len(rest) > _SHORT:
        return None
    flag, negated = _without_not(branch.test), isinstance(branch.test, cst.UnaryOperation)
    first, second = _result(ctx, branch.body.body), _result(ctx, rest)
    torch, imports = ctx.module_reference("torch")
    if not isinstance(flag, cst.Name) or not _is_bool_or_tensor(ctx, flag) or first is None or second is None:
        return None
    if not same_kind(ctx.value(first), ctx.value(second)) or _reads_leftover(ctx, branch.body.body, rest):
        return None
    early = free_name(ctx, branch, "early_result")
    picked = Predicate(flag.value, negated, torch, imports).pick(early, ctx.code(second))
    lines = [
        *(line for line in branch.body.body[:-1] if isinstance(line, cst.BaseStatement)),
        parse_statement(ctx.tree, f"{early} = {ctx.code(first)}"),
        *rest[:-1],
        parse_statement(ctx.tree, f"return {picked}"),
    ]
    is_tensor_test = cst.parse_expression(f"isinstance({flag.value}, {torch}.Tensor)")
    both = branch.with_changes(test=is_tensor_test, body=cst.IndentedBlock(lines))
    new = cst.FlattenSentinel([both, branch.with_changes(leading_lines=[])])
    return Rewrite(TITLE, "unsafe", {branch: new}, imports)


def _result(ctx: FixContext, lines: Sequence[cst.CSTNode]) -> cst.BaseExpression | None:
    """Return the expression that the last line returns if all lines only compute."""
    last = lines[-1]
    small = last.body[0] if isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1 else None
    value = small.value if isinstance(small, cst.Return) else None
    return value if value is not None and only_assigns_and_returns(ctx, lines) else None


def _reads_leftover(ctx: FixContext, lines: Sequence[cst.CSTNode], rest: Sequence[cst.CSTNode]) -> bool:
    """Return whether the ``rest`` reads a variable that ``lines`` assign before it assigns it itself."""
    texts = (textwrap.dedent(ctx.code(line)) for line in (*lines, *rest))
    names = [NameUses.of([parse_module(text)]) for text in texts]
    changed = {name for each in names[: len(lines)] for name in each.assigned}
    for each in names[len(lines) :]:
        if changed & each.read:
            return True
        changed -= each.assigned
    return False


def _without_not(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the operand of a ``not``, any other expression itself."""
    isnt = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not)
    return cst.ensure_type(node, cst.UnaryOperation).expression if isnt else node


def _is_bool_or_tensor(ctx: FixContext, flag: cst.Name) -> bool:
    """Return whether a variable is a tensor without dimensions or a bool."""
    value = ctx.value(flag)
    alternatives = [] if value is None else list(members(value))
    tensors = [each for each in alternatives if is_tensor(each)]
    bools = [
        each
        for each in alternatives
        if (isinstance(each, Const) and isinstance(each.value, bool))
        or (isinstance(each, Scalar) and each.kind == "bool")
    ]
    return bool(tensors) and bool(bools) and len(tensors) + len(bools) == len(alternatives)
