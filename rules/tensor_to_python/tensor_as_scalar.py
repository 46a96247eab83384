"""A tensor passed where a plain number is wanted: `math.sqrt(x)`, `alpha=x`, `torch.scalar_tensor(x)`.

The functions of `math` and the scalar parameters of operators take Python numbers; giving them a tensor calls
`.item()`.

**Instead** use the operator of torch (`torch.sqrt`, `torch.exp`), write `a + alpha * b` for `torch.add(a, b,
alpha=alpha)`, and use `x.clone()` where a tensor is wanted from a tensor.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class TensorAsScalar(Rule):
    """GBL107."""

    code = "GBL107"
    name = "tensor-as-scalar"
    summary = "a tensor given to `math` or to a scalar parameter"
    gb_ids = ("GB0033",)
    on = (On("tensor-to-python", ("scalar-arg",)),)
    message_template = "`{expression}` is given a tensor where it wants a number"
    help_template = "use the tensor operator (`torch.sqrt`, `a + alpha * b`)"
    BREAKS = (
        Example(
            """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    norm = math.sqrt((x * x).sum())  # breaks: GB0033
    return x / norm
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    y = x * 2
    return torch.add(x, y, alpha=weight)  # breaks: GB0033
""",
            "(torch.randn(4), torch.tensor(2.0))",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    peak = torch.scalar_tensor(x.max())  # breaks: GB0033
    return x / peak
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.sqrt((x * x).sum()) / math.sqrt(x.shape[-1])
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return torch.add(x, x, alpha=2) + torch.lerp(x, x * 2, weight) + torch.tensor([weight, 1.0]).sum()
""",
            "(torch.randn(4), torch.tensor(2.0))",
        ),
        Example(
            """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.full((4,), x[0]) * math.pi
""",
        ),
    )
