"""A tensor passed where an operator needs an integer: a size, a shape, a count.

`torch.zeros(n)`, `x.view(n, -1)`, `x.topk(k)` and `x.narrow(0, start, 2)` call `.item()` on a tensor argument. The
shape of the result would then depend on data, which a graph with static shapes cannot express.

**Instead** pass Python ints from shapes or from outside the region; pad to a fixed size and mask. With
`torch._dynamo.config.capture_scalar_outputs = True` read the number with `.item()`, and give its bounds with
`torch._check`.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class TensorAsSize(Rule):
    """GBL106."""

    code = "GBL106"
    name = "tensor-as-size"
    summary = "a tensor as a size, shape or count"
    gb_ids = ("GB0033",)
    on = (On("tensor-to-python", ("size-arg",)),)
    message_template = "`{expression}` receives a tensor where it expects an integer"
    number_template = "`{expression}` needs the value of a number that is captured as a symbol"
    help_template = "pass a Python int from a shape or from outside the region, or pad to a fixed size and mask"
    recipes = (
        "constant_folding.math.use_math",
        "branches.capture_config.capture_scalar_outputs",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    x = x + 1
    return x.view(sizes[0], -1)  # breaks: GB0033
""",
            "(torch.randn(4), torch.tensor([2, 1]))",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    n = x.shape[0] // 2
    return x.view(n, -1).sum(0) + torch.zeros(n) + x.topk(n).values
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.zeros(x.argmax()) + 1
""",
            """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.zeros(x.argmax()) + 1
""",
            calls=("(torch.randn(4),)",),
            safe=False,
            choice="capture-scalar-outputs",
        ),
    )
