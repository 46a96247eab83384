"""Custom operators of the project, called as ``torch.ops.mine.sum``: whether they have a fake implementation."""

from __future__ import annotations

import ast
import re
from typing import Literal

from gblint.interp.models.torch import hard_errors
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk

Definition = Literal["", "custom", "library"]

PREFIX = "torch.ops."
# Words around fake implementations: a module that contains one of them is assumed to have one.
_FAKE = re.compile(r"register_(fake|abstract|meta|torch_dispatch)|impl_abstract|Meta|Composite")


def check(ctx: CallContext, name: str) -> None:
    """Check a call of ``torch.ops.namespace.operator``: without a fake it raises, or breaks if a Library registers it.

    ``torch.library.custom_op`` refuses tensors without data; implementations by ``Library.impl`` fail on them.
    """
    parts = name.removeprefix(PREFIX).split(".")
    if not ctx.frame.mode.tracing or len(parts) < 2:
        return
    operator = f"{parts[0]}::{parts[1]}"
    if operator not in ctx.interp.compilation.custom_operators:
        ctx.interp.compilation.custom_operators[operator] = _definition(ctx.interp, parts[0], parts[1])
    definition = ctx.interp.compilation.custom_operators[operator]
    if definition == "custom":
        hard_errors.refuse(ctx.interp, ctx.frame, ctx.node, "custom-operator", ("runtime-error-in-fake-tensor-call",))
    elif definition == "library":
        ctx.emit("compile-error", "library-operator", ("operator-without-fake-tensor-support",))


def _definition(interp: Interpreter, namespace: str, name: str) -> Definition:
    """Return how the project defines an operator; empty if it does not, or if it may have a fake."""
    told = [
        each
        for each in interp.project.user_modules()
        if interp.project.mentions(each, (name,)) and "librar" in each.source.lower()
    ]
    if any(_FAKE.search(each.source) for each in told):
        return ""
    return next((found for each in told if (found := _defined_in(each, namespace, name))), "")


def _defined_in(module: Module, namespace: str, name: str) -> Definition:
    calls = [node for node in ast_walk.walk(module.tree) if isinstance(node, ast.Call) and node.args]
    first = [(_last_name(call.func), call.args[0].value) for call in calls if isinstance(call.args[0], ast.Constant)]
    full = f"{namespace}::{name}"
    if ("custom_op", full) in first:
        return "" if any(_needs_no_fake(node, full) for node in ast_walk.walk(module.tree)) else "custom"
    is_library = ("Library", namespace) in first
    for called, text in first:
        schema = called == "define" and isinstance(text, str)
        if schema and (text == full or (is_library and str(text).startswith(f"{name}("))):
            return "library"
    return ""


def _needs_no_fake(node: ast.AST, full: str) -> bool:
    """Return whether ``node`` defines the operator ``full`` as one that only changes its arguments."""
    if not isinstance(node, ast.FunctionDef) or not node.decorator_list:
        return False
    calls = [each for each in node.decorator_list if isinstance(each, ast.Call) and each.args]
    if not any(isinstance(call.args[0], ast.Constant) and call.args[0].value == full for call in calls):
        return False
    return hard_errors.only_mutates(node)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
