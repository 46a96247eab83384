"""More examples of GBL409, python-random."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    random.seed(0)  # breaks: GB0007
    y = y + 1
    order = [0, 1]
    random.shuffle(order)  # breaks: GB0007
    return y * order[0]
""",
    ),
    Example(
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    dice = random.Random(x=3)  # breaks: GB0297
    return y * dice.random()
""",
    ),
)
CLEAN = (
    Example(
        """\
import random

import torch

generator = random.Random(0)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + generator.random() + torch.rand(4) + torch.randperm(4)
""",
    ),
    Example(
        """\
import random

import torch

GENERATOR = random.Random(0)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * GENERATOR.random() + torch.rand(())
""",
    ),
    Example(
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * abs(random.randint(1, 3)) + random.uniform(1, 2)
""",
    ),
    Example(
        """\
import random

import torch

LETTER = chr(random.randint(65, 90))
FACTOR = round(random.uniform(1, 2), 2)


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    return x * FACTOR, LETTER
""",
    ),
    Example(
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    dice = random.Random(3)
    return x * dice.randint(1, 6)
""",
    ),
)
FIXES = (
    FixExample(
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + random.gauss(0.0, 0.0) + random.choice([3, 3])
""",
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + (0.0 + 0.0 * torch.randn(())) + torch.tensor([3, 3])[torch.randint(2, (1,))][0]
""",
        safe=False,
    ),
    FixExample(
        """\
import random

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.chance = 0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # in training now and then
        if self.training and random.random() < self.chance:
            scales = torch.full((x.size(0), 1), 0.5)
            x = x * scales
        return x
""",
        """\
import random

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.chance = 0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # in training now and then
        if self.training:
            scales = torch.full((x.size(0), 1), 0.5)
            x = torch.where(
                torch.full(
                    (), random.uniform(0.0, 1.0), dtype=torch.float64
                ) < self.chance,
                x * scales,
                x,
            )
        return x
""",
        calls=("(torch.randn(3, 4),)", "(torch.randn(2, 4, requires_grad=True),)"),
        safe=False,
        choice="where-instead-of-if",
    ),
    FixExample(
        """\
import random

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, width = x.size()
        if self.training and random.random() < 0.5:
            # pairs
            x = x.view(2, batch // 2, width)
            order = torch.argsort(x.sum(-1, keepdim=True), dim=1)
            x = x.gather(1, order.expand(-1, -1, width))
            x = x.view(batch, width)
        return x
""",
        """\
import random

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, width = x.size()
        if self.training:
            taken = torch.full((), random.uniform(0.0, 1.0), dtype=torch.float64) < 0.5
            x_before = x
            # pairs
            x = x.view(2, batch // 2, width)
            order = torch.argsort(x.sum(-1, keepdim=True), dim=1)
            x = x.gather(1, order.expand(-1, -1, width))
            x = x.view(batch, width)
            x = torch.where(taken, x, x_before)
        return x
""",
        calls=("(torch.randn(4, 3),)", "(torch.randn(6, 2, requires_grad=True),)"),
        safe=False,
        choice="run-branch-always",
    ),
)
