"""Global variables that a function fills once: ``if g is None: g = make()``.

If the project's modules call the function when they are imported, the variable is filled before anything is compiled.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.values.base import Value, members
from gblint.values.objects import BoundMethod
from gblint.values.wrapped import Wrapped

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def outcome(interp: Interpreter, test: ast.expr, frame: Frame) -> bool | None:
    """Return the outcome of ``g is None`` or ``g is not None`` for a variable that is filled; None for other tests."""
    if not frame.mode.tracing or frame.function is None or not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    operator, left, right = test.ops[0], test.left, test.comparators[0]
    if not isinstance(left, ast.Name) or not isinstance(right, ast.Constant) or right.value is not None:
        return None
    if not isinstance(operator, (ast.Is, ast.IsNot)) or left.id not in _filled_by(interp, frame.function.node):
        return None
    if any(getattr(v, "node", None) is frame.function.node for v in _compiled(interp)):
        return None  # the calls at import are those of the compiled function
    name = getattr(frame.function.node, "name", "")
    return isinstance(operator, ast.IsNot) if _is_called_at_import(interp, frame.function.module, name) else None


def _compiled(interp: Interpreter) -> Iterator[Value]:
    """Yield the functions that the project compiles."""
    for compiled in interp.compilation.objects:
        for value in members(compiled.value):
            yield value.function if isinstance(value, (BoundMethod, Wrapped)) else value


def _filled_by(interp: Interpreter, function: ast.AST) -> frozenset[str]:
    """Return the global variables that a function declares and assigns to."""
    known = interp.caches.syntax.filled_globals.get(function)
    if known is None:
        nodes = ast_walk.walk(function)
        declared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        known = interp.caches.syntax.filled_globals[function] = frozenset(
            node.id
            for node in (nodes if declared else ())
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in declared
        )
    return known


def _is_called_at_import(interp: Interpreter, home: Module, name: str) -> bool:
    place = (home, name)
    known = interp.caches.syntax.called_at_import.get(place)
    if known is None:
        modules = {home, *(each for each in interp.project.user_modules() if interp.project.mentions(each, (name,)))}
        known = any(
            isinstance(node, ast.Call) and name in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
            for module in modules
            for statement in module.tree.body
            for node in _run_at_import(statement)
        )
        interp.caches.syntax.called_at_import[place] = known
    return known


def _run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that run when its module is imported, without those of a main guard."""
    if isinstance(node, _FUNCTIONS) or (isinstance(node, ast.If) and "__name__" in ast.dump(node.test)):
        return
    yield node
    for child in ast_walk.children(node):
        yield from _run_at_import(child)
