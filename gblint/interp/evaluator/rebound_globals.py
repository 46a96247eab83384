"""Globals that a function rebinds while its module is imported.

An example is ``def enable(): global fuse; fuse = torch.compile``, and then ``enable()``.
"""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.interp.domain import reach
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.values.base import BOTTOM, Value, members
from gblint.values.lattice import join

# The functions that declare a name as global, by name.
_SETTERS: WeakKeyDictionary[ast.Module, dict[str, set[str]]] = WeakKeyDictionary()


def after_import(interp: Interpreter, module: Module, name: str, place: tuple[str, str], value: Value) -> Value:
    """Return the value of a global after its module has called the functions that rebind it."""
    setters = _setters(module).get(name)
    calls = [node for node in module.tree.body if setters and _called(node) in setters]
    if not calls:
        return value
    interp.caches.globals[place] = BOTTOM
    interp.run(list(calls), interp.module_frame(module))
    stored = interp.caches.globals[place]
    if stored is BOTTOM:
        return value
    return reach.expected(join(stored, value), members(stored)[0])


def _called(node: ast.stmt) -> str:
    """Return the name of the function that a statement calls; empty for other statements."""
    call = node.value if isinstance(node, ast.Expr) else None
    return call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""


def _setters(module: Module) -> dict[str, set[str]]:
    """Return the functions that declare a name as global, by name."""
    known = _SETTERS.get(module.tree)
    if known is None:
        known = _SETTERS[module.tree] = {}
        for function in module.tree.body:
            if isinstance(function, ast.FunctionDef):
                for node in ast_walk.walk(function):
                    for name in node.names if isinstance(node, ast.Global) else ():
                        known.setdefault(name, set()).add(function.name)
    return known
