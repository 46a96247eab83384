"""A list or tuple of another length makes Dynamo compile the function again.

This is not a graph break. A list is unrolled while tracing, and its length is guarded on: each length is compiled
separately, up to `torch._dynamo.config.recompile_limit` (8), after which the function runs eagerly.

**Instead** stack the tensors and pass one with a batch dimension, whose size becomes symbolic; or pad the list.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ChangingLength(Rule):
    """GBL705."""

    code = "GBL705"
    name = "changing-length"
    summary = "a list or tuple whose length differs between calls"
    category = Category.RECOMPILE
    on = (On("recompile", ("length",)),)
    message_template = (
        "the length of `{expression}` differs between calls: compiled once for each length (not a graph break)"
    )
    help_template = "stack the tensors into one, or pad the list"
    severity = Severity.INFO
    opt_in = True
    RECOMPILES = (
        Example(
            """\
import torch


@torch.compile
def total(parts: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack(parts).sum()


def f(x: torch.Tensor) -> torch.Tensor:
    y = total([x, x + 1])
    return y + total([x, x + 1, x + 2])  # recompiles
""",
            calls=("(torch.ones(4),)",),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compile
def total(parts: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack(parts).sum()


def f(x: torch.Tensor) -> torch.Tensor:
    y = total([x, x + 1])
    return y + total([x * 2, x + 2])
""",
            calls=("(torch.ones(4),)",),
        ),
    )
