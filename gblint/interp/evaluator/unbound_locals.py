"""Unbound local variables: Dynamo breaks where Python raises an ``UnboundLocalError`` that is caught."""

from __future__ import annotations

import ast
import sys

from gblint.interp.models.python import exceptions
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk


def check(interp: Interpreter, node: ast.Name, frame: Frame) -> None:
    """Report a variable that has no value on any path to ``node``."""
    if not frame.mode.tracing or "try" not in frame.context or frame.function is None:
        return
    function = frame.function.node
    if node.id in frame.scope.cells or isinstance(function, ast.Lambda):
        return
    if _is_local(function, node.id) and exceptions.is_caught(frame, node, "UnboundLocalError"):
        interp.emit(frame, node, "operation", "unbound-name", (_id(interp, function, node.id),))


def _id(interp: Interpreter, function: ast.AST, name: str) -> str:
    """Return the cause of the break: from Python 3.12 on a comprehension clears the variable that it borrows
    (``LOAD_FAST_CHECK``).
    """
    version = interp.project.environment.version or sys.version_info[:2]
    borrowed = any(
        isinstance(target, ast.Name) and target.id == name
        for node in ast_walk.walk_scope(ast_walk.children(function))
        if isinstance(node, ast.comprehension)
        for target in ast_walk.walk(node.target)
    )
    return "load-fast-check-of-undefined-local" if borrowed and version >= (3, 12) else "undefined-local-variable"


def _is_local(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    """Return whether ``name`` is a variable of ``function`` that plain assignments bind."""
    bound = [
        n
        for n in ast_walk.walk_scope(ast_walk.children(function))
        if isinstance(n, (ast.Assign, ast.AugAssign, ast.AnnAssign))
    ]
    targets = {
        t.id
        for n in bound
        for target in (n.targets if isinstance(n, ast.Assign) else [n.target])
        for t in ast_walk.walk(target)
        if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store)
    }
    return name in targets
