"""More examples of GBL105, tensor-as-range."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    x = x + 1
    order = list(range(0, lengths.max()))  # breaks: GB0059
    return x * len(order)
""",
        "(torch.randn(4), torch.tensor([2, 3]))",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return torch.arange(len(x)) * n
""",
        "(torch.randn(4), torch.tensor(2))",
    ),
)
