"""More examples of GBL802, disabled-call."""

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
        y = self.linear(x)
        return self.slow(y) + 1  # breaks: GB0099

    @torch._dynamo.disable
    def slow(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2
""",
    ),
    Example(
        """\
import torch


@torch.compiler.disable(recursive=False)
def slow(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return slow(x + 1) + 1  # breaks: GB0099
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


@torch.library.custom_op("gblint_example::slow", mutates_args=())
def slow(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.numpy() * 2)


@slow.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def f(x: torch.Tensor) -> torch.Tensor:
    return slow(x + 1)
""",
    ),
    Example(
        """\
import torch


@torch.compiler.allow_in_graph
def plain(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return plain(x + 1) + 1
""",
    ),
    Example(
        """\
from typing import Any

import torch


@torch.compiler.allow_in_graph
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        print("one node of the graph")
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        print("one node of the graph")
        return gradient * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Doubled.apply(x + 1) + 1
""",
    ),
)
