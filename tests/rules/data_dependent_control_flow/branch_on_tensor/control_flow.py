"""Fixes of branches that contain returns and calls."""

from __future__ import annotations

from gblint.rules.examples import FixExample

FIXES = (
    FixExample(
        """\
import numpy as np
import torch


def multiple(sizes: tuple[int, int] = (4, 6)) -> int:
    return np.lcm(sizes[0], sizes[1])


def f(x: torch.Tensor) -> torch.Tensor:
    length = multiple()
    pads = x.shape[0] % length != 0 and x.shape[0] > 1
    if pads:
        x = x * 2
    return x
""",
        """\
import math

import torch


def multiple(sizes: tuple[int, int] = (4, 6)) -> int:
    return math.lcm(sizes[0], sizes[1])


def f(x: torch.Tensor) -> torch.Tensor:
    length = multiple()
    pads = x.shape[0] % length != 0 and x.shape[0] > 1
    if pads:
        x = x * 2
    return x
""",
        calls=("(torch.randn(12),)", "(torch.randn(5),)"),
        safe=False,
    ),
    FixExample(
        """\
import numpy as np
import torch


def f(x: torch.Tensor, order: float = 2.0) -> torch.Tensor:
    if np.isinf(order) and order > 0:
        return x.abs().max()
    return x.abs().pow(order)
""",
        """\
import math

import torch


def f(x: torch.Tensor, order: float = 2.0) -> torch.Tensor:
    if math.isinf(order) and order > 0:
        return x.abs().max()
    return x.abs().pow(order)
""",
        calls=("(torch.randn(3),)", "(torch.randn(3), float('inf'))", "(torch.randn(3), 3)"),
        safe=False,
    ),
    FixExample(
        """\
import torch


def squared(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    result = (a - b).square()
    result.clamp_min_(1e-6)
    return result


def f(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    same = a.shape == b.shape and (a == b).all()
    return distance(a, b, same)


def distance(a: torch.Tensor, b: torch.Tensor, same: bool = False) -> torch.Tensor:
    # the long way
    if not same:
        result = torch.cdist(a, b)
        return result.clamp_min(1e-6)
    result = squared(a, b)
    return result.sqrt_()
""",
        """\
import torch


def squared(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    result = (a - b).square()
    result.clamp_min_(1e-6)
    return result


def f(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    same = a.shape == b.shape and (a == b).all()
    return distance(a, b, same)


def distance(a: torch.Tensor, b: torch.Tensor, same: bool = False) -> torch.Tensor:
    # the long way
    if isinstance(same, torch.Tensor):
        result = torch.cdist(a, b)
        early_result = result.clamp_min(1e-6)
        result = squared(a, b)
        return torch.where(same, result.sqrt_(), early_result)
    if not same:
        result = torch.cdist(a, b)
        return result.clamp_min(1e-6)
    result = squared(a, b)
    return result.sqrt_()
""",
        calls=(
            "(torch.ones(3, 3), torch.ones(3, 3))",
            "(torch.ones(3, 3), torch.zeros(3, 3))",
            "(torch.ones(3, 3), torch.ones(2, 3))",
        ),
        safe=False,
        choice="return-where-if-tensor",
    ),
    FixExample(
        """\
import torch


def rows(x: torch.Tensor) -> torch.Tensor:
    return x.view(x.size(0), -1)


def whole(x: torch.Tensor) -> torch.Tensor:
    return x.view(1, -1)


def turned(x: torch.Tensor, ratio: float = 0.1) -> tuple[torch.Tensor, float]:
    factor = 1
    for view in [rows, whole]:
        size = view(x).norm(dim=1)

        # large enough
        if size.max() > 2:
            unit = x / view(x).norm(dim=1).view(-1, 1).add_(1e-3)
            x = x - unit * view(unit * x).sum(dim=1).view(-1, 1)
            factor = ratio

            return x, factor

    return x, factor


def f(x: torch.Tensor) -> torch.Tensor:
    x, factor = turned(x * 2)
    return x * factor
""",
        """\
import torch


def rows(x: torch.Tensor) -> torch.Tensor:
    return x.view(x.size(0), -1)


def whole(x: torch.Tensor) -> torch.Tensor:
    return x.view(1, -1)


def turned(x: torch.Tensor, ratio: float = 0.1) -> tuple[torch.Tensor, float]:
    factor = 1
    returned = torch.zeros((), dtype=torch.bool, device=x.device)
    for view in [rows, whole]:
        size = view(x).norm(dim=1)

        # large enough
        returns = ~returned & (size.max() > 2)
        unit = x / view(x).norm(dim=1).view(-1, 1).add_(1e-3)
        x = torch.where(returns, x - unit * view(unit * x).sum(dim=1).view(-1, 1), x)
        factor = torch.where(
            returns, torch.full((), ratio, dtype=torch.float64), factor
        )
        returned = returned | returns

    return x, factor


def f(x: torch.Tensor) -> torch.Tensor:
    x, factor = turned(x * 2)
    return x * factor
""",
        calls=("(torch.ones(3, 4),)", "(torch.ones(3, 3) / 2,)", "(torch.full((2, 3), 0.1),)"),
        safe=False,
        choice="where-instead-of-loop-return",
    ),
    FixExample(
        """\
from enum import Enum

import torch


class Side(Enum):
    LEFT = 0
    RIGHT = 1


def shifted(x: torch.Tensor, *, side: Side) -> torch.Tensor:
    return x - 1 if side is Side.LEFT else x + 1


def f(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    total = x * 2
    for weight in weights:
        # the last one
        if weight == 1.0:
            part = total
            side = Side.LEFT
        else:
            part = total * weight
            side = Side.RIGHT
        moved = x + part
        total = shifted(moved, side=side)
    return total
""",
        """\
from enum import Enum

import torch


class Side(Enum):
    LEFT = 0
    RIGHT = 1


def shifted(x: torch.Tensor, *, side: Side) -> torch.Tensor:
    return x - 1 if side is Side.LEFT else x + 1


def f(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    total = x * 2
    for weight in weights:
        # the last one
        condition = (weight == 1.0).all()
        part = torch.where(condition, total, total * weight)
        moved = x + part
        total = torch.where(
            condition, shifted(moved, side=Side.LEFT), shifted(moved, side=Side.RIGHT)
        )
    return total
""",
        calls=(
            "(torch.randn(3), torch.tensor([0.5, 1.0]))",
            "(torch.randn(3, requires_grad=True), torch.tensor([0.5, 0.25]))",
        ),
        safe=False,
        choice="call-with-both-values",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, times: torch.Tensor) -> torch.Tensor:
        self.last, self.kept = None, []
        for time in times:
            self.remember(time, time * 2)
            self.remember(time, time * 3)
        return torch.stack(self.kept)

    def remember(self, time: torch.Tensor, value: torch.Tensor) -> None:
        # once for each time
        if self.last is None or self.last != time:
            self.kept.append(value)
            self.last = time
""",
        """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, times: torch.Tensor) -> torch.Tensor:
        self.last, self.kept = None, []
        for time in times:
            self.remember(time, time * 2)
            self.remember(time, time * 3)
        return torch.stack(self.kept)

    def remember(self, time: torch.Tensor, value: torch.Tensor) -> None:
        # once for each time
        if self.last is None or self.last is not time:
            self.kept.append(value)
            self.last = time
""",
        calls=("(torch.arange(3.0),)", "(torch.arange(2.0, requires_grad=True),)"),
        safe=False,
        choice="compare-identity",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    state = {}
    state["scale"] = x.norm(dim=0).mean()
    if state["scale"] == 0.0:
        state["scale"] = 0.01
    return x / state["scale"]
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    state = {}
    state["scale"] = x.norm(dim=0).mean()
    state["scale"] = torch.where(state["scale"] == 0.0, 0.01, state["scale"])
    return x / state["scale"]
""",
        calls=("(torch.zeros(3, 2),)", "(torch.rand(3, 2, requires_grad=True),)", "(torch.full((2, 2), torch.inf),)"),
        safe=False,
    ),
)
