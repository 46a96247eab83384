"""Callables of which nothing is known but their name and their arguments."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.state.call_context import CallContext
from gblint.values.base import Tensor
from gblint.values.objects import Instance

# Names of callables that return a loss.
_LOSSES: Final = frozenset(("closure", "crit", "criterion", "loss_fn", "loss_func", "loss_function"))


def returns_tensor(ctx: CallContext) -> bool:
    """Return whether a callable that came in mostly returns a tensor.

    A tensor is passed to it, as to a model or an objective, or its name is that of a loss.
    """
    if not isinstance(ctx.node, ast.Call):
        return False
    called = ctx.node.func
    if not any(type(value) is Tensor for value in ctx.args.pos):
        return isinstance(called, ast.Name) and called.id in _LOSSES and called.id in ctx.frame.variables
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return isinstance(ctx.frame.variables.get(called.value.id), Instance)
    return isinstance(called, ast.Name) and called.id in ctx.frame.variables
