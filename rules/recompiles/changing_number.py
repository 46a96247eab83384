"""A Python number that differs between calls makes Dynamo compile again: once, and then the number is symbolic.

This is not a graph break. The first value is a constant of the graph; at the second Dynamo compiles once more with a
symbolic number, which then serves all others (unless `dynamic=False`, or the number is an attribute of a module). But
each place that needs the value itself, such as a branch, `range(n)`, an index into a list, or a dropout probability,
guards on it and compiles again for each value.

**Instead** pass a tensor (`torch.tensor(step)`) where the number is only used in arithmetic; mark it dynamic from the
start with `torch.compile(dynamic=True)`; keep loops over the number outside the region.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ChangingNumber(Rule):
    """GBL702."""

    code = "GBL702"
    name = "changing-number"
    summary = "a Python number that changes from call to call"
    category = Category.RECOMPILE
    on = (On("recompile", ("number",)),)
    message_template = "the number `{expression}` changes between calls: compiled again (not a graph break)"
    help_template = "pass a tensor, or compile with `dynamic=True`"
    severity = Severity.INFO
    opt_in = True
    RECOMPILES = (
        Example(
            """\
import torch


@torch.compile
def step(x: torch.Tensor, index: int) -> torch.Tensor:
    return x + index


def f(x: torch.Tensor) -> torch.Tensor:
    for index in range(4):
        x = step(x, index)  # recompiles
    return x
""",
            calls=("(torch.ones(4),)",),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compile
def step(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x + index


def f(x: torch.Tensor) -> torch.Tensor:
    for index in range(4):
        x = step(x, torch.tensor(index))
    return x
""",
            calls=("(torch.ones(4),)",),
        ),
    )
