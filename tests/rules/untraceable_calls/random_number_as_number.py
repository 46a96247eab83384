"""More examples of GBL450, random-number-as-number."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import random

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])

    def forward(self, x):
        count = random.randint(1, 4)
        for layer in self.layers[:count]:  # breaks: GB0124
            x = layer(x)
        return x
""",
    ),
    Example(
        """\
import random

import torch


def f(image: torch.Tensor) -> torch.Tensor:
    top = random.randint(0, 4)
    return image[top:]  # breaks: GB0124
""",
        inputs="(torch.randn(8, 8),)",
    ),
    Example(
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if random.uniform(0, 1) < 0.5:  # breaks: GB0170
        x = x.flip(0)
    return torch.roll(x, random.randint(1, 2), 0)  # breaks: GB0033
""",
    ),
    Example(
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    scales = [0.5, 1.0, 2.0]
    x = x * scales[random.randrange(3)]  # breaks: GB0178
    for _ in range(random.randint(1, 3)):  # breaks: GB4841
        x = x + 1
    return x
""",
    ),
    Example(
        """\
import random

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    letter = chr(random.randint(65, 90))  # breaks: GB0178
    return y * 2, letter
""",
    ),
    Example(
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * round(random.uniform(1, 2), 2)  # breaks: GB0178
""",
    ),
)
CLEAN = (
    Example(
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    flip = torch.rand(()) < 0.5
    x = torch.where(flip, x.flip(0), x)
    return torch.where(x > random.uniform(0, 1), x, max(random.randint(1, 3), 2))
""",
    ),
    Example(
        """\
import random

import torch


def f(x: torch.Tensor, top: int) -> torch.Tensor:
    return x[top : top + 2] * random.randint(1, 3)


START = random.randint(0, 2)
""",
        inputs="(torch.randn(4), START)",
    ),
)
FIXES = (
    FixExample(
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    p = random.uniform(0, 1)
    return x * 2 if p > 0.5 else x
""",
        """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    p = random.uniform(0, 1)
    return torch.where(torch.full((), p, dtype=torch.float64) > 0.5, x * 2, x)
""",
        calls=(
            "(torch.ones(2, 4),)",
            "(torch.randn(3, 4, requires_grad=True),)",
        ),
        safe=False,
        choice="where-instead-of-ternary",
    ),
    FixExample(
        """\
import random

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.layerdrop = 0.5

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            p = random.uniform(0, 1)
            if self.training and (p < self.layerdrop):
                continue

            hidden = layer(hidden)
        return hidden
""",
        """\
import random

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.layerdrop = 0.5

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            p = random.uniform(0, 1)
            skipped = torch.full((), p, dtype=torch.float64) < self.layerdrop
            hidden_before = hidden

            hidden = layer(hidden)
            if self.training:
                hidden = torch.where(skipped, hidden_before, hidden)
        return hidden
""",
        calls=(
            "(torch.ones(2, 4),)",
            "(torch.randn(3, 4, requires_grad=True),)",
        ),
        safe=False,
        choice="where-instead-of-continue",
    ),
)
