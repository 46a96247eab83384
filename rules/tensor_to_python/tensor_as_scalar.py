"""A tensor passed where a Python number is needed: `math.sqrt(x)`, `alpha=x`, `torch.scalar_tensor(x)`.

The functions of `math` and the scalar parameters of operators take Python numbers; with a tensor they call `.item()`.

**Instead** use the operator of torch (`torch.sqrt`, `torch.exp`), write `a + alpha * b` for `torch.add(a, b,
alpha=alpha)`, and use `x.clone()` to make a tensor from a tensor.
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
    message_template = "`{expression}` receives a tensor where it expects a number"
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
        # Dynamo replaces these by ``fma`` (torch/_dynamo/variables/tensor.py, ``method_add_``).
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    rate = x.mean()
    y = x.clone().add_(x, alpha=-rate)
    y.addcmul_(x, x, value=rate).addcdiv_(x, x + 5, value=rate)
    return torch.addcdiv(y, x, x + 5, value=rate)
""",
        ),
    )
