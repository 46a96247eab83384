"""More examples of GBL107, tensor-as-scalar."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
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
