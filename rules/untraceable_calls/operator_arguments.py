"""An operator called with the wrong kind of argument breaks the graph, then raises in Python.

`torch.sqrt` and similar operators take a tensor, not a number; `torch.cat` and `torch.stack` take a sequence of
tensors, not one tensor. Dynamo finds the error while tracing and breaks the graph, and Python raises the `TypeError`.
If the region catches the error, only the break remains.

**Instead** use `math.sqrt(n)` or `n**0.5` for numbers, and `torch.cat([x])` for one tensor; test with `isinstance`
rather than catch the error.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class OperatorArguments(Rule):
    """GBL426."""

    code = "GBL426"
    name = "operator-arguments"
    summary = "an operator called with arguments that it does not accept"
    gb_ids = (
        "GB0049",
        "GB0112",
        "GB0243",
        "GB0359",
        "GB0360",
        "GB1140",
        "GB6735",
        "GB0223",
    )
    on = (On("operator-arguments"),)
    message_template = "`{name}` does not accept the arguments in `{expression}`"
    help_template = "pass the arguments that its signature requires"
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x / torch.sqrt(x.shape[-1])  # breaks: GB0112
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x / math.sqrt(x.shape[-1]) + torch.sqrt(torch.tensor(4.0)) + torch.rsqrt(x.abs())
""",
        ),
    )
