"""A variable without a value is read in a `try` that catches the `UnboundLocalError`.

Python raises the error; Dynamo breaks the graph, and cannot resume inside the `try`.

**Instead** assign a value first: `scale = None`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class UnboundVariable(Rule):
    """GBL522."""

    code = "GBL522"
    name = "unbound-variable"
    summary = "a variable without a value, in a `try` that catches the error"
    gb_ids = ("GB0011", "GB0076")
    on = (On("operation", ("unbound-name",)),)
    message_template = "`{expression}` has no value here: Python raises an error, Dynamo breaks the graph"
    help_template = "assign a value first"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    steps = [step for step in range(3)]
    try:
        x = x + step  # breaks: GB0076
    except NameError:
        x = x - 1
    step = len(steps)
    return x * step
""",
            python=(3, 12),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    steps = [step for step in range(3)]
    step = len(steps)
    try:
        return x * step
    except NameError:
        return x - 1
""",
        ),
    )
