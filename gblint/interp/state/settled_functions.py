"""Functions that the search for entry points need not evaluate again.

The search evaluates the code that runs outside of compiled objects, to see what these are and what they are called
with.  Most functions there compile nothing: they load weights, write logs, or take the step of an optimizer.  A
function is settled after a few evaluations with different arguments in which it compiled nothing, called nothing
compiled, returned None, and changed nothing but numbers, flags and tensors that objects had before.  A further call
returns None.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from gblint.values.base import NONE, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import BoundMethod, Function, Instance, Partial, Scope
from gblint.values.wrapped import Wrapped

SETTLED_AFTER = 8
"""Evaluations of a function with different arguments, after which the search does not evaluate it again."""
MAX_PASSED_DEPTH: Final = 2
"""How deep callables are looked for in the arguments of a call."""
_CALLABLE: Final = (Function, BoundMethod, Partial, Wrapped)


class SettledFunctions:
    """The evaluations of functions during the search.

    events: how often anything was compiled, or compiled code was called, so far.
    """

    def __init__(self) -> None:
        self.events = 0
        self._evaluated: dict[ast.AST, int] = {}
        self._open: set[ast.AST] = set()

    def settles(
        self, function: Function, variables: dict[str, Value], compiled_modules: Callable[[], list[Value]]
    ) -> bool:
        """Return whether a call with these local variables need not be evaluated, since it returns None.

        A call that passes a callable, an object that holds a compiled one, or a compiled module is evaluated.
        """
        node = function.node
        if node in self._open or self._evaluated.get(node, 0) < SETTLED_AFTER:
            return False
        compiled = compiled_modules()
        passes = any(_may_call(value, compiled, 0) for value in variables.values())
        return not passes and not _encloses_callables(function.scope)

    def note_reused(self, function: Function) -> None:
        """Note that an earlier evaluation of a function stands for a call: its events are those of this call, too."""
        if function.node in self._open:
            self.events += 1

    def note_evaluated(self, function: Function, result: Value, *, has_effect: bool) -> None:
        """Note an evaluation; ``has_effect`` is true if it had an event, or changed an object that existed before."""
        node = function.node
        if has_effect or result != NONE:
            self._open.add(node)
        elif node not in self._open:
            self._evaluated[node] = self._evaluated.get(node, 0) + 1


def _may_call(value: Value, compiled: list[Value], depth: int) -> bool:
    """Return whether a value is or holds a callable that is passed on, or is or holds a compiled object."""
    for each in members(value):
        if isinstance(each, _CALLABLE):
            return True
        if isinstance(each, Instance):
            if any(isinstance(v, Wrapped) or v in compiled for v in (each, *each.attrs.values())):
                return True
        elif depth < MAX_PASSED_DEPTH and isinstance(each, (Seq, Mapping)):
            if any(_may_call(v, compiled, depth + 1) for v in _items(each)):
                return True
    return False


def _items(value: Seq | Mapping) -> list[Value]:
    rest = [] if value.rest is None else [value.rest]
    return [*(value.items or rest)] if isinstance(value, Seq) else [*(v for _, v in value.entries), *rest]


def _encloses_callables(scope: Scope | None) -> bool:
    """Return whether a variable of an enclosing function holds a callable: a wrapper calls what it was made for."""
    while scope is not None:
        if any(isinstance(m, _CALLABLE) for v in scope.cells.values() for m in members(v)):
            return True
        scope = scope.parent
    return False
