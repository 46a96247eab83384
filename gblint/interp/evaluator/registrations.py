"""Tables that functions fill with more than their arguments, called as decorators by other modules.

    TABLE = {"force": {}}                              @plugin("force", "wind")
    def plugin(kind, name):                            class Wind(Force): ...
        def add(cls):
            TABLE[kind][name] = cls

The definitions of the other modules are run once, so that the table has what is in it after they were imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.domain import name_stores
from gblint.interp.domain.access_paths import last_name
from gblint.interp.evaluator import filled_objects
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.values.base import Value
from gblint.values.containers import Mapping
from gblint.values.objects import Function, Instance

MAX_REGISTRATIONS = 64
"""Definitions that other modules register in one table, up to which they are run."""


def of(interp: Interpreter, home: Module, name: str, value: Value) -> list[tuple[Module, ast.stmt]]:
    """Return the statements of other modules that register something in the table ``name``, with their modules.

    Nothing is returned for a table of plain arguments, see ``registered_entries``, or for too many statements.
    """
    if isinstance(value, Instance):
        called = filled_objects.registered_elsewhere(interp, home, name) if "__items__" in value.attrs else []
        return called if len(called) <= MAX_REGISTRATIONS else []
    if not isinstance(value, Mapping):
        return []
    defined = (node for node in home.tree.body if isinstance(node, ast.FunctionDef))
    functions = {node.name: node for node in defined if name_stores.fills_table(node, name)}
    if not functions or interp.compilation.scanned_module is None:
        return []
    found: list[tuple[Module, ast.stmt]] = []
    for module in interp.project.user_modules():
        if module is home or not interp.project.mentions(module, functions):
            continue
        for statement in module.tree.body:
            if any(_is_one_of(interp, module, each, functions) for each in _called_in(statement)):
                found.append((module, statement))
    return found if len(found) <= MAX_REGISTRATIONS else []


def _called_in(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the functions that a statement calls as a decorator, or as a whole."""
    if isinstance(statement, ast_walk.DEFINITIONS):
        for decorator in statement.decorator_list:
            yield decorator.func if isinstance(decorator, ast.Call) else decorator
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        yield statement.value.func


def _is_one_of(interp: Interpreter, module: Module, called: ast.expr, functions: dict[str, ast.FunctionDef]) -> bool:
    if last_name(called) not in functions:
        return False
    value = interp.eval(called, interp.module_frame(module))
    return isinstance(value, Function) and value.node is functions[last_name(called)]
