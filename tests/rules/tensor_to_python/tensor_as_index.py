"""More examples of GBL104, tensor-as-index."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
from typing import NewType

import torch

Parents = NewType("Parents", torch.Tensor)


def f(transforms: torch.Tensor, parents: Parents) -> torch.Tensor:
    chain = [transforms[0], transforms[1]]
    return chain[parents[1]]  # breaks: GB0124
""",
        "(torch.randn(3, 4), torch.tensor([-1, 0, 0]))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    scores = x.softmax(0)
    return scores[x.argmax()]  # breaks: GB0033
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.scales = [1.0, 2.0, 3.0]

    def forward(self, x: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        x = x + 1
        x = self.experts[which](x)  # breaks: GB0124
        return x * self.scales[which]  # breaks: GB0124
""",
        "(torch.randn(4), torch.tensor(1))",
    ),
)
CLEAN = (
    Example(
        """\
from typing import List, NewType

import torch

Parents = NewType("Parents", List[int])


def f(transforms: torch.Tensor, parents: Parents) -> torch.Tensor:
    chain = [transforms[0], transforms[1]]
    return chain[parents[1]]
""",
        "(torch.randn(3, 4), [-1, 0, 0])",
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
    return x[start + 1 : x.shape[0]]
""",
        inputs="(torch.randn(6, 4), torch.tensor(2))",
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("k", torch.tensor(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.k.item() > 1 and int(self.k) > 1:
            x = x + 1
        return x + [1, 2, 3, 4][self.k] + sum([1, 2, 3][: self.k])
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    bits = x.view(torch.int32)
    result = x * 2
    result[bits > 3] = 0
    return result
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.arange(x.shape[0]) < n, x, 0.0)
""",
        "(torch.randn(4), torch.tensor(2))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    half = x.shape[0] // 2
    return x[:half] + [x, x * 2][x.dim()][half:]
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(scores: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    best = scores.argmin(dim=1)
    rows = x * 2
    return torch.stack([rows[i] for i in best], dim=0)
""",
        """\
import torch


def f(scores: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    best = scores.argmin(dim=1)
    rows = x * 2
    return rows[best]
""",
        calls=(
            "(torch.randn(4, 3), torch.randn(3, 5, requires_grad=True))",
            "(torch.zeros(1, 2), torch.tensor([3, 4]))",
        ),
        safe=False,
    ),
    FixExample(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> list[torch.Tensor]:
    starts = [list(range(0, size, 2)) for size in x.shape]
    places = np.asarray([each.flatten() for each in np.meshgrid(*starts, indexing="ij")]).T
    windows = [tuple(slice(start, start + 2) for d, start in enumerate(place)) for place in places]
    return [x[window] * 2 for window in windows]
""",
        """\
import itertools

import numpy as np
import torch


def f(x: torch.Tensor) -> list[torch.Tensor]:
    starts = [list(range(0, size, 2)) for size in x.shape]
    places = list(itertools.product(*starts))
    windows = [tuple(slice(start, start + 2) for d, start in enumerate(place)) for place in places]
    return [x[window] * 2 for window in windows]
""",
        calls=("(torch.rand(4, 4),)", "(torch.rand(2, 4, 3, requires_grad=True),)"),
        safe=False,
        choice="use-itertools-product",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    gain, norm = x.sum(), y.sum()
    skip = norm == 0
    gain[skip] = 0
    gain[~skip] /= norm[~skip]
    return gain
""",
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    gain, norm = x.sum(), y.sum()
    skip = norm == 0
    gain.masked_fill_(skip, 0)
    gain /= torch.where(~skip, norm, 1)
    return gain
""",
        calls=(
            "(torch.rand(3, requires_grad=True), torch.rand(2, requires_grad=True))",
            "(torch.rand(3, requires_grad=True), torch.zeros(2, requires_grad=True))",
            "(torch.ones(2, dtype=torch.float16), torch.full((2,), torch.nan, dtype=torch.float16))",
            "(torch.zeros(0), torch.zeros(0))",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    gain, norm = x.sum(), y.sum()
    skip = norm == 0
    gain[skip] = 0
    return gain
""",
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    gain, norm = x.sum(), y.sum()
    skip = norm == 0
    gain.masked_fill_(skip, 0)
    return gain
""",
        calls=(
            "(torch.rand(3, requires_grad=True), torch.rand(2, requires_grad=True))",
            "(torch.rand(3, requires_grad=True), torch.zeros(2, requires_grad=True))",
            "(torch.ones(2, dtype=torch.float16), torch.full((2,), torch.nan, dtype=torch.float16))",
            "(torch.zeros(0), torch.zeros(0))",
        ),
        safe=False,
        choice="fill-by-truth",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    gain, norm = x.sum(), y.sum()
    skip = norm == 0
    gain[~skip] /= norm[~skip]
    return gain
""",
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    gain, norm = x.sum(), y.sum()
    skip = norm == 0
    gain /= torch.where(~skip, norm, 1)
    return gain
""",
        calls=(
            "(torch.rand(3, requires_grad=True), torch.rand(2, requires_grad=True))",
            "(torch.rand(3, requires_grad=True), torch.zeros(2, requires_grad=True))",
            "(torch.ones(2, dtype=torch.float16), torch.full((2,), torch.nan, dtype=torch.float16))",
            "(torch.zeros(0), torch.zeros(0))",
        ),
        safe=False,
        choice="update-full-shape",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    gain, norm = x.sum(), y.sum()
    skip = norm == 0
    gain[skip] = norm[skip] * 2
    return gain
""",
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    gain, norm = x.sum(), y.sum()
    skip = norm == 0
    gain.copy_(torch.where(skip, norm * 2, gain))
    return gain
""",
        calls=(
            "(torch.rand(3, requires_grad=True), torch.rand(2, requires_grad=True))",
            "(torch.rand(3, requires_grad=True), torch.zeros(2, requires_grad=True))",
            "(torch.ones(2, dtype=torch.float16), torch.full((2,), torch.nan, dtype=torch.float16))",
            "(torch.zeros(0), torch.zeros(0))",
        ),
        safe=False,
        choice="assign-full-shape",
    ),
)
