"""`range(n)` with a tensor `n` needs the number in it, and the graph ends there.

Dynamo unrolls Python loops, so it must know the number of iterations while it traces. A count from `x.shape` or
`len(x)` can.

**Instead** take the count from a shape or an argument, work on the whole tensor at once, or use `torch.while_loop` or
`torch.scan` for a loop that really depends on data.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class TensorAsRange(Rule):
    """GBL105."""

    code = "GBL105"
    name = "tensor-as-range"
    summary = "`range()` of a tensor"
    gb_ids = ("GB0059", "GB0124")
    on = (On("tensor-to-python", ("range",)),)
    message_template = "`{expression}` takes its length from a tensor"
    help_template = "take the count from a shape or a Python int, or use `torch.while_loop`"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
    x = x + 1
    for _ in range(steps):  # breaks: GB0059
        x = x * 2
    return x
""",
            "(torch.randn(4), torch.tensor(2))",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(())
    for row in range(x.shape[0]):
        total = total + x[row]
    return total
""",
        ),
    )
