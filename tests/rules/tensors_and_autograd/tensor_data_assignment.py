"""More examples of GBL608, tensor-data-assignment."""

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
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.double()
        self.linear.weight.data = self.linear.weight.data.double()  # breaks: GB0220
        return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.complex(x, x)
    y.real = torch.zeros(4)  # breaks: GB0058
    return y * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Box:
    data = 1


def f(x: torch.Tensor) -> torch.Tensor:
    box = Box()
    box.data = 2
    x.data.fill_(1)
    return x.copy_(x * 2) * box.data
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.complex(x, x)
    return torch.complex(torch.zeros(4), y.imag) * y.real
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros(4)
    y.copy_(x)
    return torch.complex(y, x)
""",
    ),
)
