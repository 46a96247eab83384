"""`while` on a tensor cannot be traced: how often it runs is in the data.

A break inside a loop cannot be resumed from in the middle of the loop, so that Dynamo gives up the whole frame when
anything in the loop breaks.

**Instead**

- loop a fixed number of times, and mask what is finished with `torch.where`;
- `torch.while_loop`;
- compile the body, and keep the loop outside.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class LoopOnTensor(Rule):
    """GBL202."""

    code = "GBL202"
    name = "loop-on-tensor"
    summary = "`while` on a tensor"
    gb_ids = ("GB0170",)
    on = (On("data-dependent-branch", ("while",)),)
    said = "`while {expression}` loops until the values of a tensor say otherwise"
    advice = "loop a fixed number of times, use `torch.while_loop`, or keep the loop outside the compiled region"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x.abs() + 1
    while x.sum() < 100:  # breaks: GB0170
        x = x * 2
    return x
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    done = torch.zeros((), dtype=torch.bool)
    while not done:  # breaks: GB0170
        x = x * 2
        done = x.abs().sum() > 100
    return x
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    step = 0
    while step < x.shape[0]:
        x = x * 2
        step += 1
    return x
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    while x.dim() < 3:
        x = x.unsqueeze(0)
    return x * 2
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    stack = [x, x * 2]
    total = torch.zeros(4)
    while stack:
        total = total + stack.pop()
    return total
""",
        ),
    )
