"""Higher-order operators: ``torch.cond`` and its kin take functions that Dynamo has to capture whole."""

from __future__ import annotations

import ast
from dataclasses import replace

from gblint.interp import iterate
from gblint.interp.frames import Frame
from gblint.interp.machine import Args, Machine
from gblint.values.base import Value
from gblint.values.join import join_all


def body(m: Machine, function: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Calls a function that was given to an operator without a fallback: what breaks in there raises."""
    mode = frame.mode
    frame.mode = replace(mode, hop=mode.tracing)
    try:
        return m.call(function, args, frame, node)
    finally:
        frame.mode = mode


def conditional(m: Machine, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``torch.cond(pred, true_fn, false_fn, operands)``."""
    operands = args.get(3, "operands")
    inner = Args(iterate.items_of(m, operands, frame, node) or (), {}) if operands is not None else Args()
    branches = [args.get(1, "true_fn"), args.get(2, "false_fn")]
    return join_all(body(m, b, inner, frame, node) for b in branches if b is not None)
