"""More examples of GBL510, untraceable-assignment."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import functools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    double = functools.partial(torch.mul, 2)
    y = x + 1
    double.__name__ = "double"  # breaks: GB0467
    return y * 2
""",
    ),
    Example(
        """\
import torch


class Plain:
    pass


class Special(Plain):
    pass


def f(x: torch.Tensor) -> tuple[torch.Tensor, Plain]:
    y = x + 1
    item = Plain()
    item.__class__ = Special  # breaks: GB4271
    return y, item
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.cache: dict[str, torch.Tensor] = {}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        self.cache["x"] = x + 1
        return x * self.calls
""",
    ),
)
