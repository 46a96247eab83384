"""The objects and functions around a compiled function that its free variables hold when it is called.

for config in CONFIGS:                        # each call sees another `net`
    net = build(config)
    compiled = torch.compile(lambda x: net(x).sum())
    compiled(x)
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import BOTTOM, Value
from gblint.values.keys import key
from gblint.values.objects import BoundMethod, Class, Function, FunctionNode, Instance, Partial
from gblint.values.wrapped import Wrapped

FreeValues = tuple[tuple[str, Value], ...]
"""Free variables with their values, in alphabetic order."""

CHOICES = (Function, BoundMethod, Class, Instance, Partial)
"""Values that decide which code the function that reads them runs."""
_READ: WeakKeyDictionary[FunctionNode, frozenset[str]] = WeakKeyDictionary()


def read_by(function: Function) -> frozenset[str]:
    """Return the names in the code of a function."""
    known = _READ.get(function.node)
    if known is None:
        known = frozenset(each.id for each in ast_walk.walk(function.node) if isinstance(each, ast.Name))
        _READ[function.node] = known
    return known


def values_of(interp: Interpreter, function: Value) -> FreeValues:
    """Return the objects and functions that the free variables of a function hold at the moment.

    They are variables of the enclosing function, or of the script that runs.  If the function reads another function
    of the same scope, the variables that this one reads count, too.
    """
    if not isinstance(function, Function) or function.owner is not None:
        return ()
    cells = _cells(interp, function)
    if not cells:
        return ()
    names = [*read_by(function)]
    found: dict[str, Value] = {}
    for name in names:  # grows while it is read
        value = cells.get(name)
        if value is not None and name not in found:
            found[name] = value
            inner = value.function if isinstance(value, Wrapped) else value
            if isinstance(inner, Function) and inner.scope is function.scope and inner.owner is None:
                names += read_by(inner)
    return tuple([(name, value) for name, value in sorted(found.items()) if isinstance(value, CHOICES)])


def key_of(values: FreeValues) -> Hashable:
    """Return a key of the values of free variables."""
    return tuple([(name, key(value)) for name, value in values])


@contextmanager
def as_called(interp: Interpreter, function: Value, values: FreeValues) -> Iterator[None]:
    """Give the free variables of a function the values that they have in one call."""
    if not values or not isinstance(function, Function):
        yield
        return
    outer, interp.effects.free_values = interp.effects.free_values, key_of(values)
    before = [(name, _replace(interp, function, name, value)) for name, value in values]
    try:
        yield
    finally:
        interp.effects.free_values = outer
        for name, old in before:
            _replace(interp, function, name, old)


def _cells(interp: Interpreter, function: Function) -> dict[str, Value]:
    return interp.module_frame(function.module).scope.cells if function.scope is None else function.scope.cells


def _replace(interp: Interpreter, function: Function, name: str, value: Value | None) -> Value | None:
    """Give a variable a value, or none; return the one that it had."""
    module = function.module
    if function.scope is None:
        variables = interp.caches.globals
        place = (interp.caches.module_names.get(module, module.name), name)
        old = variables.pop(place, None)
        if value is not None:
            variables[place] = value
    else:
        old = function.scope.cells.pop(name, None)
        if value is not None:
            function.scope.cells[name] = value
    interp.summary_cache.on_change(0, old or BOTTOM, value or BOTTOM)
    return old
