"""`checkpoint(..., context_fn=functools.partial(make_contexts, tensor))`: the arguments must be constants.

Dynamo calls `context_fn` with the arguments of the partial while it traces.

**Instead** pass numbers, strings, functions and lists of operators; make a choice with a Python number.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CheckpointContextFunction(Rule):
    """GBL441."""

    code = "GBL441"
    name = "checkpoint-context-function"
    summary = "a tensor among the arguments of checkpoint's `context_fn`"
    gb_ids = ("GB0086",)
    on = (On("operation", ("context-function",)),)
    message_template = "`context_fn` holds a tensor, but Dynamo calls it while tracing"
    help_template = "pass only Python constants to `functools.partial`"
    BREAKS = (
        Example(
            """\
import functools

import torch
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts


def contexts(scale: torch.Tensor) -> object:
    return create_selective_checkpoint_contexts([torch.ops.aten.mm.default])


def double(value: torch.Tensor) -> torch.Tensor:
    return value * 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    chosen = functools.partial(contexts, y.sum())
    return checkpoint(double, y, use_reentrant=False, context_fn=chosen)  # breaks: GB0086
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import functools

import torch
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts


def contexts(level: int) -> object:
    return create_selective_checkpoint_contexts([torch.ops.aten.mm.default][:level])


def double(value: torch.Tensor) -> torch.Tensor:
    return value * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(double, x, use_reentrant=False, context_fn=functools.partial(contexts, 1))
""",
        ),
    )
