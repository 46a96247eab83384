"""Attributes that a module sets on its own functions: ``jacobian.cache = Cache()`` after ``def jacobian``."""

from __future__ import annotations

import ast

from gblint.interp.domain import call_state
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.ast_walk import is_name
from gblint.values.base import Value
from gblint.values.objects import Function


def find(interp: Interpreter, function: Function, name: str) -> Value | None:
    """Return the value that the module of ``function`` assigns to an attribute of it; None if there is none."""
    module = function.module
    if function.owner is not None or not module.sets_attribute(name):
        return None
    place = (module.name, f"{function.name}.{name}")
    known = interp.caches.globals.get(place)
    if known is not None:
        return known
    stored = _stored(module.tree.body, function.name, name)
    if stored is None or place in interp.calls.in_progress:
        return None
    interp.calls.in_progress.add(place)
    try:
        with call_state.outside_of_call(interp):
            value = interp.eval(stored, interp.module_frame(module))
    finally:
        interp.calls.in_progress.discard(place)
    if not interp.budget.is_truncated:
        interp.caches.globals[place] = value
    return value


def _stored(body: list[ast.stmt], function: str, name: str) -> ast.expr | None:
    """Return the value of the last assignment to ``function.name``."""
    found: ast.expr | None = None
    for statement in body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Attribute) and target.attr == name and is_name(target.value, function):
                    found = statement.value
    return found
