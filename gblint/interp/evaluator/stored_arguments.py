"""Functions that store attributes on one of several modules: ``module.forward = wrap(module.forward)`` in a helper.

If the argument may be one of several modules, as in a loop over ``named_modules()``, such a function is run for each of
them: what it reads of one module must not be stored on the others.
"""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.runtime import ast_walk
from gblint.values.base import Union, Value
from gblint.values.objects import Function, Instance, is_nn_module

MAX_MODULES_APART = 32
"""Modules that may be one argument, for each of which the function is run."""
# By function, what ``_stored_parameters`` returns.
_STORED: WeakKeyDictionary[ast.AST, frozenset[str]] = WeakKeyDictionary()


def apart(function: Function, variables: dict[str, Value]) -> list[dict[str, Value]]:
    """Return the local variables of a call for each module that an argument may be; empty if one run is enough."""
    if not any(isinstance(value, Union) for value in variables.values()):
        return []
    for name in _stored_parameters(function.node):
        value = variables.get(name)
        if isinstance(value, Union) and len(value.members) <= MAX_MODULES_APART:
            modules = [each for each in value.members if isinstance(each, Instance) and is_nn_module(each)]
            if len(modules) > 1:
                return [{**variables, name: each} for each in value.members]
    return []


def _stored_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """Return the parameters of which a function both reads an attribute and stores one."""
    known = _STORED.get(function)
    if known is None:
        names = {each.arg for each in ast_walk.walk(function.args) if isinstance(each, ast.arg)}
        stored: set[str] = set()
        read: set[str] = set()
        for node in ast_walk.walk(function):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
                (stored if isinstance(node.ctx, ast.Store) else read).add(node.value.id)
        known = _STORED[function] = frozenset(stored & read)
    return known
