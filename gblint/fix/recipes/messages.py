"""Branches on tensors that only say something: asked in eager runs alone."""

from __future__ import annotations

import libcst as cst
from libcst import matchers as match

from gblint.fix.context import FixContext, TextRewrite, imported_as
from gblint.fix.recipes._purity import is_pure
from gblint.values.base import Value, members
from gblint.values.objects import BuiltinMethod, ExternalName, ExternalObject

_SAYING = ("builtins.print", "warnings.warn")


def said_in_eager_runs(ctx: FixContext) -> TextRewrite | None:
    """``if t: logger.warning(...)`` as ``if not torch.compiler.is_compiling() and t: ...``."""
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None or not ctx.is_in(branch.test):
        return None
    torch = imported_as(ctx.tree.module, "torch")
    if torch is None or not is_pure(ctx, branch.test) or not _only_says(ctx, branch.body):
        return None
    (start, end), (first, last) = ctx.tree.bounds(branch), _whole(ctx, branch.test)
    asked = ctx.tree.text[first:last]
    if isinstance(branch.test, cst.IfExp) or match.matches(branch.test, match.BooleanOperation(operator=match.Or())):
        asked = asked if branch.test.lpar else f"({asked})"
    guard = f"not {torch}.compiler.is_compiling() and {asked}"
    # All of the branch is taken, so that nothing is done to what is in it as well.
    text = ctx.tree.text[start:first] + guard + ctx.tree.text[last:end]
    title = "ask only in eager runs, with `torch.compiler.is_compiling()`"
    return TextRewrite(title, "safe", [(start, end, text)])


def _whole(ctx: FixContext, node: cst.BaseExpression) -> tuple[int, int]:
    """Where the text of ``node`` is; with its parentheses, if it has some."""
    start, end = ctx.tree.bounds(node)
    for _ in node.lpar:
        start, end = ctx.tree.text.rindex("(", 0, start), ctx.tree.text.index(")", end) + 1
    return start, end


def _only_says(ctx: FixContext, suite: cst.BaseSuite) -> bool:
    """Whether a block does nothing but print, log or warn, maybe only where Python decides so."""
    for line in suite.body:
        if isinstance(line, cst.If):
            if line.orelse is not None or not is_pure(ctx, line.test) or not _only_says(ctx, line.body):
                return False
            continue
        small = line.body if isinstance(line, cst.SimpleStatementLine) else [line]
        if not all(isinstance(each, cst.Expr) and _says(ctx, each.value) for each in small):
            return False
    return True


def _says(ctx: FixContext, node: cst.BaseExpression) -> bool:
    value = ctx.value(node.func) if isinstance(node, cst.Call) else None
    if value is None or not isinstance(node, cst.Call):
        return False
    return all(map(_is_saying, members(value))) and all(is_pure(ctx, arg) for arg in node.args)


def _is_saying(value: Value) -> bool:
    if isinstance(value, ExternalName):
        return value.name in _SAYING or value.name.startswith("logging.")
    receiver = value.receiver if isinstance(value, BuiltinMethod) else None
    return isinstance(receiver, ExternalObject) and receiver.cls.startswith("logging.")
