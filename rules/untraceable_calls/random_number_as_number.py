"""A number drawn by `random` in the region goes with tensors only.

`random.randint`, `random.uniform` and `random.randrange` are replayed: what they draw stands in the graph as a tensor
without dimensions. It can be added to tensors, multiplied with them, compared and returned. What needs the number
itself ends the graph: arithmetic with other numbers (`1 - p`), a branch, `int(n)`, a slice, an index, a size.

**Instead** compute with tensors from the start (`x - p * x` for `(1 - p) * x`), draw with torch
(`torch.rand(())`, `torch.randint`, `torch.where` for the branch), or draw before the region and pass the number in.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class RandomNumberAsNumber(Rule):
    """GBL450."""

    code = "GBL450"
    name = "random-number-as-number"
    summary = "computing in Python with a number that `random` drew in the region"
    gb_ids = ("GB0213", "GB0170", "GB0178", "GB4841", "GB0124", "GB0033", "GB0112", "GB0088")
    on = (On("random-number"),)
    message_template = "`{expression}` needs the value of a random number that is drawn in the region"
    help_template = "combine it with tensors only, draw with torch, or draw before the region"
    recipes = ("branches.where.as_where", "branches.where.ternary_as_where", "loops.random_skip.computed_anyway")
    BREAKS = (
        Example(
            """\
import random

import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    lam = random.uniform(0, 1)
    return lam * x + (1 - lam) * y  # breaks: GB0213
""",
            inputs="(torch.randn(4), torch.randn(4))",
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


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    lam = random.uniform(0, 1)
    return y + lam * (x - y)
""",
            inputs="(torch.randn(4), torch.randn(4))",
        ),
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
    if p < 0.9:
        x = x + 1
    return x * 2
""",
            """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    p = random.uniform(0, 1)
    x = torch.where(torch.full((), p, dtype=torch.float64) < 0.9, x + 1, x)
    return x * 2
""",
            calls=(
                "(torch.ones(2, 4),)",
                "(torch.randn(3, 4, requires_grad=True),)",
            ),
            safe=False,
        ),
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
            choice="ternary-as-where",
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
            choice="computed-anyway",
        ),
    )
