"""Branches on tensor values that only print, log or warn: taken in eager runs only."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, TextRewrite
from gblint.fix.imports import imported_as
from gblint.fix.recipes._purity import is_pure
from gblint.values.base import Value, members
from gblint.values.objects import BuiltinMethod, ExternalName, ExternalObject

_MESSAGE_FUNCTIONS = ("builtins.print", "warnings.warn")


def report_in_eager_runs(ctx: FixContext) -> TextRewrite | None:
    """Rewrite ``if t: logger.warning(...)`` to ``if not torch.compiler.is_compiling() and t: ...``.

    Preconditions: the test and all arguments are pure, and the branch only prints, logs or warns. Unsafe:
    compiled runs lose the output.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None or not ctx.is_in(branch.test):
        return None
    torch = imported_as(ctx.tree.module, "torch")
    if torch is None or not is_pure(ctx, branch.test) or not _only_emits_messages(ctx, branch.body):
        return None
    (start, end), (first, last) = ctx.tree.bounds(branch), _bounds_with_parentheses(ctx, branch.test)
    test_text = ctx.tree.text[first:last]
    if isinstance(branch.test, cst.IfExp) or match.matches(branch.test, match.BooleanOperation(operator=match.Or())):
        test_text = test_text if branch.test.lpar else f"({test_text})"
    guard = f"not {torch}.compiler.is_compiling() and {test_text}"
    # The edit covers the whole branch, so that no other fix changes code inside of it.
    text = ctx.tree.text[start:first] + guard + ctx.tree.text[last:end]
    title = "run the branch only in eager mode, with `torch.compiler.is_compiling()`"
    return TextRewrite(title, "unsafe", [(start, end, text)], quiet=True)


def _bounds_with_parentheses(ctx: FixContext, node: cst.BaseExpression) -> tuple[int, int]:
    """Return the offsets of ``node`` with its parentheses."""
    start, end = ctx.tree.bounds(node)
    for _ in node.lpar:
        start, end = ctx.tree.text.rindex("(", 0, start), ctx.tree.text.index(")", end) + 1
    return start, end


def _only_emits_messages(ctx: FixContext, suite: cst.BaseSuite) -> bool:
    """Return whether a block only prints, logs or warns, possibly under conditions that Python decides."""
    for line in suite.body:
        if isinstance(line, cst.If):
            if line.orelse is not None or not is_pure(ctx, line.test) or not _only_emits_messages(ctx, line.body):
                return False
            continue
        small = line.body if isinstance(line, cst.SimpleStatementLine) else [line]
        if not all(isinstance(each, cst.Expr) and _emits_message(ctx, each.value) for each in small):
            return False
    return True


def _emits_message(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether a call prints, logs or warns."""
    value = ctx.value(node.func) if isinstance(node, cst.Call) else None
    if value is None or not isinstance(node, cst.Call):
        return False
    return all(map(_is_message_function, members(value))) and all(is_pure(ctx, arg) for arg in node.args)


def _is_message_function(value: Value) -> bool:
    if isinstance(value, ExternalName):
        return value.name in _MESSAGE_FUNCTIONS or value.name.startswith("logging.")
    receiver = value.receiver if isinstance(value, BuiltinMethod) else None
    return isinstance(receiver, ExternalObject) and receiver.cls.startswith("logging.")
