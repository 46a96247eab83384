"""Choices without effect as long as a parameter has its default: tested only if it has another value."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import all_parameters, own_line, parse_like, parse_statement, primary_text
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_number


def skip_test_for_default(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``y = a if t else 0`` to ``y = a`` and ``if y != 0 and not t: y = 0``.

    Preconditions: ``a`` is a pure Python number computed from a parameter whose default is ``0``. Unsafe: with
    another argument the test still breaks the graph.
    """
    choice, small = ctx.enclosing(cst.IfExp), ctx.statement
    if not isinstance(choice, cst.IfExp) or not isinstance(small, cst.Assign) or small.value is not choice:
        return None
    line, target = own_line(ctx), small.targets[0].target
    if line is None or len(small.targets) != 1 or not isinstance(target, cst.Name) or not ctx.is_in(choice.test):
        return None
    sides = (choice.body, choice.orelse)
    if not all(is_pure(ctx, each) and is_number(ctx.value(each)) for each in sides):
        return None
    if match.findall(choice, match.Name(target.value)) or not is_pure(ctx, choice.test):
        return None
    if not _is_default(ctx, *sides):
        return None
    name, other = target.value, ctx.code(choice.orelse)
    condition = primary_text(ctx.tree, choice.test)
    lines = [f"if {name} != {other} and not {condition}:", f"    {name} = {other}"]
    first = line.with_changes(body=[small.with_changes(value=parse_like(choice.body, ctx.code(choice.body)))])
    branch = parse_statement(ctx.tree, "\n".join(lines) + "\n")
    title = f"test the condition only if the value is not {other}, which it is by default"
    return Rewrite(title, "unsafe", {line: cst.FlattenSentinel([first, branch])})


def _is_default(ctx: FixContext, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Return whether ``one`` is computed from a parameter whose default is the number ``other``."""
    function = ctx.tree.enclosing(one, cst.FunctionDef)
    if not isinstance(function, cst.FunctionDef) or not isinstance(other, cst.BaseNumber):
        return False
    return any(
        each.default is not None
        and isinstance(each.default, cst.BaseNumber)
        and each.default.evaluated_value == other.evaluated_value  # type: ignore[attr-defined]
        and match.findall(one, match.Name(each.name.value))
        for each in all_parameters(function.params)
    )
