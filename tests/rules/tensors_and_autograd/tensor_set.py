"""More examples of GBL650, tensor-set."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.tied = {self.weight}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        for weight in self.tied:  # breaks: GB0222
            y = y * weight
        return y
""",
    ),
    Example(
        """\
import torch


def f(tensors: set[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * len(tensors)  # breaks: GB0222
""",
        "({torch.ones(2)}, torch.randn(4))",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for item in {x, y}:
        y = y + item
    return y
""",
    ),
)
