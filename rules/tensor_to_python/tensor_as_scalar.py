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
    )
