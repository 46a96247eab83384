"""Names that the top of a module binds several times, as scripts and notebooks do.

The expressions at the top see what was bound above them. Functions see what is bound last.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from gblint.interp.state.frame import Frame, ModulePosition
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.project.symbols import Binding
from gblint.runtime import ast_origins
from gblint.values.base import UNKNOWN, Value

# How many statements are evaluated within each other: ``a = f(b)`` after ``b = g(a)``, many times over.
MAX_EARLIER_BINDINGS = 20


@contextmanager
def at(frame: Frame, node: ast.AST) -> Iterator[None]:
    """Evaluate what is at a statement of a module: names have the values that they have there."""
    position = _position(frame)
    line = getattr(node, "lineno", 0)
    if position is None or not line:
        yield
        return
    cells = frame.scope.cells
    hidden = {name: cells.pop(name) for name in [each for each in cells if each in position.rebound]}
    position.lines.append(line)
    try:
        yield
    finally:
        position.lines.pop()
        cells = frame.scope.cells  # a conditional expression replaces the dict
        if position.lines:  # an earlier statement was evaluated for the sake of a later one
            for name in position.rebound:
                cells.pop(name, None)
        for name, value in hidden.items():
            cells.setdefault(name, value)


def lookup(interp: Interpreter, name: str, frame: Frame) -> Value | None:
    """Return the value of a name at the statement that is evaluated; None if it is the one that is bound last."""
    position = frame.names.position
    if position is None or not position.lines or name not in position.rebound:
        return None
    bindings = frame.module.symbols.get(name, ())
    line = position.lines[-1]
    before = tuple(binding for binding in bindings if getattr(binding.node, "lineno", 0) < line)
    if not before or len(before) == len(bindings):
        return None
    if len(position.lines) > MAX_EARLIER_BINDINGS and (name, len(before)) not in position.values:
        return UNKNOWN
    first = len(before)
    while first > 1 and (name, first) not in position.values and reads_itself(before[first - 1]):
        first -= 1
    for count in range(first, len(before) + 1):  # in this order ``x = f(x)`` many times over needs no deep recursion
        if (name, count) not in position.values:
            value = interp.value_of_bindings(before[:count], frame, name)
            if interp.budget.is_truncated:
                return value
            position.values[name, count] = value
    return position.values[name, len(before)]


def is_rebound(frame: Frame, name: str) -> bool:
    """Return whether the expressions of a module see what was bound to the name above them."""
    position = _position(frame)
    return position is not None and name in position.rebound


def reads_itself(binding: Binding) -> bool:
    """Return whether the value that is bound is computed from the earlier one: ``x = f(x)``."""
    return binding.value is not None and binding.name in ast_origins.names([binding.value])


def _position(frame: Frame) -> ModulePosition | None:
    """Return the position in a module that binds names several times; None in functions, classes, other modules."""
    if frame.function is not None or frame.class_body is not None or frame.scope.parent is not None:
        return None
    if frame.names.position is None:
        frame.names.position = ModulePosition(_rebound(frame.module))
    return frame.names.position if frame.names.position.rebound else None


def _rebound(module: Module) -> frozenset[str]:
    """Return the names that the top of a module binds more than once, whatever holds."""
    return frozenset(
        name
        for name, bindings in module.symbols.items()
        if len(bindings) > 1 and sum(b.guard == "always" and b.kind in ("def", "class", "assign") for b in bindings) > 1
    )
