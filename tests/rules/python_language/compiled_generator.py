"""More examples of GBL502, compiled-generator."""

from __future__ import annotations

from gblint.rules.examples import Example

DIVERGES = (
    Example(
        """\
import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    @torch.compile
    def steps(self, x):  # diverges
        for _ in range(3):
            x = self.linear(x)
            yield x


sampler = Sampler()


def f(x: torch.Tensor) -> list[torch.Tensor]:
    return list(sampler.steps(x))
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


@torch.compile
def step(x: torch.Tensor) -> torch.Tensor:
    return x * x


def f(x: torch.Tensor) -> list[torch.Tensor]:
    def powers(x):
        for _ in range(3):
            x = step(x)
            yield x

    return list(powers(x))
""",
    ),
    Example(
        """\
from collections.abc import Iterator

import torch


def halves(x: torch.Tensor) -> Iterator[torch.Tensor]:
    yield x[:2]
    yield x[2:]


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([part * 2 for part in halves(x)])
""",
    ),
)
