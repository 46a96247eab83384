"""Methods that a class decorator replaces by a function that need not call them.

``use_experts_implementation`` in transformers is one: its ``forward`` passes the written one to a registry, as the
fallback for an implementation that a configuration names.
"""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.path_conditions import OPTION, Condition
from gblint.runtime import ast_walk
from gblint.values.objects import Class, Function


def under_decorator(interp: Interpreter, function: Function, frame: Frame) -> None:
    """Add a condition for a method that a class decorator replaces; the caller restores the conditions.

    The method in the source runs only if the decorator keeps it.
    """
    owner = function.owner
    if owner is None or not frame.mode.tracing or not owner.node.decorator_list:
        return
    known = interp.caches.replaced_methods
    if function.node not in known:
        known[function.node] = _decorator(interp, owner, function)
    decorator = known[function.node]
    if decorator is not None:
        frame.conditions.path += (Condition(decorator, owner.module, True, OPTION, function.name),)


def _decorator(interp: Interpreter, owner: Class, function: Function) -> ast.expr | None:
    name = function.name.rpartition(".")[2]
    if owner.attrs.get(name) not in (None, function):
        return None
    for decorator in owner.node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        value = interp.eval(called, interp.module_frame(owner.module))
        if isinstance(value, Function) and _replaces(value.node, name):
            return called
    return None


def _replaces(decorator: ast.AST, name: str) -> bool:
    """Return whether a decorator sets the method ``name`` and only passes on the one that it finds."""
    nodes = list(ast_walk.walk(decorator))
    assigned = [node for node in nodes if isinstance(node, ast.Assign) and len(node.targets) == 1]
    if not any(isinstance(each.targets[0], ast.Attribute) and each.targets[0].attr == name for each in assigned):
        return False
    originals = {
        each.targets[0].id
        for each in assigned
        if isinstance(each.targets[0], ast.Name) and isinstance(each.value, ast.Attribute) and each.value.attr == name
    }
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if any(isinstance(call.func, ast.Name) and call.func.id in originals for call in calls):
        return False
    passed = [call for call in calls if any(isinstance(a, ast.Name) and a.id in originals for a in call.args)]
    return any(len(call.args) > 1 for call in passed)
