"""More examples of GBL811, yield-from-value."""

from __future__ import annotations

from gblint.rules.examples import Example

DIVERGES = (
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def steps(self, x):
        yield x + 1
        return x * 5

    def run(self, x):
        return (yield from self.steps(x))  # diverges

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        steps = self.run(x)
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                return stop.value
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def halves(x):
    yield x[:2]
    return x.sum()


def f(x: torch.Tensor) -> torch.Tensor:
    parts = halves(x)
    try:
        while True:
            next(parts)
    except StopIteration as stop:
        return stop.value
""",
    ),
)
