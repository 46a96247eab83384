"""An argument whose type, rank or dtype differs between calls makes Dynamo compile the function again.

This is not a graph break. Types, ranks and dtypes are guarded on; each combination is compiled separately, up to
`torch._dynamo.config.recompile_limit` (8). (Sizes alone become symbolic at the second call.)

**Instead** use the same types in all calls: `1.0` instead of `1`, `x.unsqueeze(0)` for a missing batch dimension, one
dtype.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ChangingType(Rule):
    """GBL704."""

    code = "GBL704"
    name = "changing-type"
    summary = "an argument whose type, rank or dtype differs between calls"
    category = Category.RECOMPILE
    on = (On("recompile", ("type",)),)
    message_template = (
        "the type, rank or dtype of `{expression}` differs between calls: compiled again (not a graph break)"
    )
    help_template = "use the same types, ranks and dtypes in all calls"
    severity = Severity.INFO
    opt_in = True
    RECOMPILES = (
        Example(
            """\
import torch


@torch.compile
def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    return x * factor


def f(x: torch.Tensor) -> torch.Tensor:
    return scale(scale(x, 1), 0.5)  # recompiles
""",
            calls=("(torch.ones(4),)",),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compile
def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    return x * factor


def f(x: torch.Tensor) -> torch.Tensor:
    return scale(scale(x, 0.5), 0.5)
""",
            calls=("(torch.ones(4),)",),
        ),
    )
