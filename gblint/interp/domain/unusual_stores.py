"""Hooks and ``forward`` methods that code outside of the region sets in a branch that does not always run.

An example is ``if device_map is not None: module.forward = hooked(module.forward)``.  The condition limits the reach of
what breaks in them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from gblint.interp.domain import reach
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.path_conditions import INPUT
from gblint.values.objects import Instance


def into_branch(interp: Interpreter, test: ast.expr, holds: bool, frame: Frame, *, rare: bool | None = None) -> None:
    """Note the undecided condition of a branch outside of the region; the caller restores ``effects.branch_path``."""
    if frame.mode.tracing:
        return
    conditions = [each for each in reach.outcome(test, holds, frame, rare=rare) if each.level >= INPUT]
    if conditions:
        hardest = max((*interp.effects.branch_path, *conditions), key=lambda each: each.level)
        interp.effects.branch_path = (hardest,)


def note(interp: Interpreter, module: Instance, name: str) -> None:
    """Note the condition under which ``module`` gets a hook, or a ``forward`` of its own."""
    path = interp.effects.branch_path
    if path:
        interp.effects.conditional.setdefault((module.uid, name), path)
    else:
        interp.effects.conditional.pop((module.uid, name), None)


def is_conditional(interp: Interpreter, module: Instance, name: str) -> bool:
    """Return whether a condition decides if ``module`` has a hook, or a ``forward`` of its own."""
    return (module.uid, name) in interp.effects.conditional


@contextmanager
def called(interp: Interpreter, module: Instance, name: str, frame: Frame) -> Iterator[None]:
    """Add the condition under which ``module`` has what is called to those of the path."""
    before = frame.conditions.path
    frame.conditions.path = before + interp.effects.conditional.get((module.uid, name), ())
    try:
        yield
    finally:
        frame.conditions.path = before
