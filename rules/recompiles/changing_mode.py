"""Dynamo compiles the function once for each value of a string, a flag or a dtype argument.

This is not a graph break. Such values are constants of the graph and guarded on; each new one compiles again, up to
`torch._dynamo.config.recompile_limit` (8) versions.

**Instead** do nothing if the values are few and known. Otherwise compile one function for each mode, or make the choice
outside the region.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ChangingMode(Rule):
    """GBL703."""

    code = "GBL703"
    name = "changing-mode"
    summary = "a string, flag or dtype that differs between calls"
    category = Category.RECOMPILE
    on = (On("recompile", ("mode",)),)
    message_template = "`{expression}` differs between calls: compiled once for each value (not a graph break)"
    help_template = "decide outside of the region, or accept one version for each value"
    severity = Severity.INFO
    opt_in = True
    RECOMPILES = (
        Example(
            """\
import torch


@torch.compile
def reduce(x: torch.Tensor, how: str) -> torch.Tensor:
    return x.sum() if how == "sum" else x.mean()


def f(x: torch.Tensor) -> torch.Tensor:
    return reduce(x, "sum") + reduce(x, "mean")  # recompiles
""",
            calls=("(torch.ones(4),)",),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compile
def reduce(x: torch.Tensor, how: str) -> torch.Tensor:
    return x.sum() if how == "sum" else x.mean()


def f(x: torch.Tensor) -> torch.Tensor:
    return reduce(x, "sum") + reduce(x * 2, "sum")
""",
            calls=("(torch.ones(4),)",),
        ),
    )
