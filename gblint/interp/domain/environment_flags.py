"""Flags read from environment variables; most are not set, so that mostly the default branch runs."""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.objects import ExternalName

_READS = frozenset(("os.environ.get", "os.getenv"))


def asks_environment(interp: Interpreter, node: ast.expr, frame: Frame) -> bool:
    """Return whether a condition holds only if an environment variable is set."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        other = node.comparators[0]
        if isinstance(node.ops[0], ast.In) and interp.eval(other, frame) == ExternalName("os.environ"):
            return True
        if isinstance(node.ops[0], ast.Eq) and isinstance(other, ast.Constant):
            default = _default(interp, node.left, frame)
            return default is not None and default.value != other.value
        return False
    default = _default(interp, node, frame)
    return default is not None and not default.value


def _default(interp: Interpreter, node: ast.expr, frame: Frame) -> ast.Constant | None:
    """Return the result of ``os.environ.get(name, default)`` if the variable is not set."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Attribute, ast.Name)) or not node.args:
        return None
    function = interp.eval(node.func, frame)
    if not isinstance(function, ExternalName) or function.name not in _READS:
        return None
    given = node.args[1] if len(node.args) > 1 else ast.Constant(None)
    return given if isinstance(given, ast.Constant) else None
