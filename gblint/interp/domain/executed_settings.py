"""Settings at the top of a script that a later ``exec(open("configurator.py").read())`` may replace."""

from __future__ import annotations

import ast

from gblint.interp.domain import reach
from gblint.project.modules import Module
from gblint.values.base import BOOL, Const, Value


def replaceable(module: Module, name: str, value: Value) -> Value:
    """Return the value of a global: of a flag above an ``exec`` either one, usually the one that the script assigns.

    Numbers and strings stay as they are assigned.
    """
    if not isinstance(value, Const) or not isinstance(value.value, bool) or not module.contains("exec("):
        return value
    executed = [node.lineno for node in module.tree.body if _executes(node)]
    bound = getattr(module.symbols[name][-1].node, "lineno", 0)
    return reach.expected(BOOL, value) if any(line > bound for line in executed) else value


def _executes(node: ast.stmt) -> bool:
    """Return whether a statement is a call of ``exec`` with text that is not written in the call."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "exec":
        return False
    return len(call.args) == 1 and not isinstance(call.args[0], ast.Constant)
