"""Fixes of branches that choose a value."""

from __future__ import annotations

from gblint.rules.examples import FixExample

FIXES = (
    FixExample(
        """\
import torch


def f(hidden: torch.Tensor, training: bool) -> torch.Tensor:
    hidden = hidden * 2
    if training and not torch.isfinite(hidden).all():
        limit = torch.finfo(hidden.dtype).max - 1000
        hidden = torch.clamp(hidden, min=-limit, max=limit)
    return hidden
""",
        """\
import torch


def f(hidden: torch.Tensor, training: bool) -> torch.Tensor:
    hidden = hidden * 2
    if training:
        limit = torch.finfo(hidden.dtype).max - 1000
        hidden = torch.where(
            torch.isfinite(hidden).all(),
            hidden,
            torch.clamp(hidden, min=-limit, max=limit),
        )
    return hidden
""",
        calls=("(torch.ones(4), True)", "(torch.full((4,), torch.inf), True)", "(torch.ones(4), False)"),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 3
    if y.max() > 1:
        return y / y.max()
    return y
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 3
    return torch.where(y.max() > 1, y / y.max(), y)
""",
        calls=("(torch.ones(4),)", "(-torch.ones(4, requires_grad=True),)"),
        safe=False,
    ),
    FixExample(
        """\
import torch


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x - x.mean()
        return (y if not y.any() else -y) + 1
""",
        """\
import torch


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x - x.mean()
        return torch.where(y.any(), -y, y) + 1
""",
        calls=("(torch.ones(4),)", "(torch.randn(4),)"),
        safe=False,
        choice="where-instead-of-ternary",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if x.sum() > 0 and t > 0:
        y = x.exp()
    elif x.dim() == 1:
        y = x - 1
    else:
        y = x + 3
    if y.max() < 1e-5 or y.min() > 3:
        z = 1
    else:
        z = y.max() / 2
    w = y * z
    if t > 1:
        w += y
    return w
""",
        """\
import torch


def f(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    y = x * 2
    condition = (x.sum() > 0) & (t > 0).all()
    if x.dim() == 1:
        y = torch.where(condition, x.exp(), x - 1)
    else:
        y = torch.where(condition, x.exp(), x + 3)
    z = torch.where((y.max() < 1e-5) | (y.min() > 3), 1, y.max() / 2)
    w = y * z
    w += torch.where((t > 1).all(), y, 0)
    return w
""",
        calls=(
            "(torch.ones(4), torch.ones(()))",
            "(-torch.ones(4, requires_grad=True), torch.ones(()))",
            "(torch.zeros(4, requires_grad=True), -torch.ones(()))",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("low", torch.zeros(1))
        self.register_buffer("high", torch.zeros(1))
        self.momentum = 0.9

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        low, high = x.min(), x.max()
        if self.low.min() > -1e-5 and self.high.max() < 1e-5:
            self.low = self.low + low
            self.high = self.high + high
        elif self.momentum == -1:
            self.low = torch.min(self.low, low)
            self.high = torch.max(self.high, high)
        else:
            self.low = self.low * self.momentum + low * (1 - self.momentum)
            self.high = self.high * self.momentum + high * (1 - self.momentum)
        return x * self.low + self.high
""",
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("low", torch.zeros(1))
        self.register_buffer("high", torch.zeros(1))
        self.momentum = 0.9

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        low, high = x.min(), x.max()
        condition = (self.low.min() > -1e-5) & (self.high.max() < 1e-5)
        if self.momentum == -1:
            if condition:
                self.low = self.low + low
                self.high = self.high + high
            else:
                self.low = torch.min(self.low, low)
                self.high = torch.max(self.high, high)
        else:
            self.low = torch.where(
                condition,
                self.low + low,
                self.low * self.momentum + low * (1 - self.momentum),
            )
            self.high = torch.where(
                condition,
                self.high + high,
                self.high * self.momentum + high * (1 - self.momentum),
            )
        return x * self.low + self.high
""",
        calls=(
            "(torch.ones(4),)",
            "(-torch.ones(4),)",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, flag: bool) -> torch.Tensor:
    if flag and x.sum() > 0:
        return x + 1
    else:
        return x * 2
""",
        """\
import torch


def f(x: torch.Tensor, flag: bool) -> torch.Tensor:
    if flag:
        return torch.where(x.sum() > 0, x + 1, x * 2)
    return x * 2
""",
        calls=(
            "(torch.ones(4), True)",
            "(torch.ones(4), False)",
            "(-torch.ones(4), True)",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x.long()
    if x.sum() == 0:
        x[x.sum(dim=1).eq(0)] = 1
    mask = x > 0
    if mask.any():
        x[mask] = 3
    return x
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x.long()
    x[x.sum(dim=1).eq(0) & (x.sum() == 0)] = 1
    mask = x > 0
    x[mask] = 3
    return x
""",
        calls=(
            "(torch.tensor([[0, 0], [0, 0]]),)",
            "(torch.tensor([[0, 1], [0, 0]]),)",
        ),
        choice="add-condition-to-mask",
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.exp(x)
    if 0 < x < 2:
        y = y + 1
    return (1.0 if x > 2 else 2 * x) + y
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.exp(x)
    y = torch.where(((0 < x) & (x < 2)).all(), y + 1, y)
    return torch.where((x > 2).all(), 1.0, 2 * x) + y
""",
        calls=(
            "(torch.tensor(3.),)",
            "(torch.tensor(0.),)",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    ratio = (x / y).mean()
    if not ratio > 0:
        return x * y
    ratio = ratio.sqrt()
    total = x + y * 2
    # both of them
    return total / ratio  # scaled
""",
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    ratio = (x / y).mean()
    returns_early = torch.logical_not(ratio > 0)
    ratio = ratio.sqrt()
    total = x + y * 2
    # both of them
    return torch.where(returns_early, x * y, total / ratio)  # scaled
""",
        calls=(
            "(torch.ones(4), torch.ones(4))",
            "(-torch.ones(4, requires_grad=True), torch.ones(4))",
            "(-torch.ones(4), -torch.ones(4, requires_grad=True))",
        ),
        safe=False,
        choice="where-instead-of-return",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    for _ in range(5):
        y = x / 2
        x = y + 0.1
        if x.max() < 1:
            break
    return x
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    stopped = torch.zeros((), dtype=torch.bool, device=x.device)
    for _ in range(5):
        x_before = x
        y = x / 2
        x = y + 0.1
        x = torch.where(stopped, x_before, x)
        stopped = stopped | (x.max() < 1)
    return x
""",
        calls=(
            "(torch.rand(4) * 9,)",
            "(torch.rand(4),)",
        ),
        safe=False,
        choice="where-instead-of-break",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.big = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        self.small = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        if y.sum() > 0:
            z = self.big(y)
        else:
            z = self.small(y)
        return z + 1
""",
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.big = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        self.small = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        if torch.compiler.is_compiling():
            z = torch.cond(
                y.sum() > 0, lambda y: self.big(y), lambda y: self.small(y), (y,)
            )
        elif y.sum() > 0:
            z = self.big(y)
        else:
            z = self.small(y)
        return z + 1
""",
        calls=(
            "(torch.ones(2, 4),)",
            "(-torch.ones(2, 4, requires_grad=True),)",
        ),
        safe=False,
        choice="use-cond",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, bias: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        bias = x.mean(0) if bias is None else bias
        return self.linear(x) + bias, bias


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList([Layer() for _ in range(4)])
        self.layerdrop = 0.5

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        bias = None
        for i, layer in enumerate(self.layers):
            skip = False
            if self.training and i > 0:
                skip = torch.rand([]) < self.layerdrop
            if not skip:
                hidden, bias = layer(hidden, bias=bias)
        return hidden
""",
        """\
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, bias: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        bias = x.mean(0) if bias is None else bias
        return self.linear(x) + bias, bias


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList([Layer() for _ in range(4)])
        self.layerdrop = 0.5

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        bias = None
        for i, layer in enumerate(self.layers):
            skip = False
            if self.training and i > 0:
                skip = torch.rand([]) < self.layerdrop
            hidden_before = hidden
            bias_before = bias
            hidden, bias = layer(hidden, bias=bias)
            if isinstance(skip, torch.Tensor):
                hidden = torch.where(skip, hidden_before, hidden)
                bias = torch.where(skip, bias_before, bias)
        return hidden
""",
        calls=(
            "(torch.ones(2, 4),)",
            "(torch.randn(3, 4, requires_grad=True),)",
        ),
        safe=False,
    ),
    FixExample(
        """\
import numpy as np
import torch


def common(a: int, b: int) -> int:
    return np.lcm(a, b)


def f(x: torch.Tensor, short: int = 4, long: int = 6) -> torch.Tensor:
    multiple = common(short, long)
    missing = 0
    if x.shape[0] % multiple != 0:
        missing = multiple - x.shape[0] % multiple
    return torch.nn.functional.pad(x, (0, missing)) * np.float32(2)
""",
        """\
import math

import numpy as np
import torch


def common(a: int, b: int) -> int:
    return math.lcm(a, b)


def f(x: torch.Tensor, short: int = 4, long: int = 6) -> torch.Tensor:
    multiple = common(short, long)
    missing = 0
    if x.shape[0] % multiple != 0:
        missing = multiple - x.shape[0] % multiple
    return torch.nn.functional.pad(x, (0, missing)) * np.float32(2)
""",
        calls=("(torch.ones(4),)", "(torch.randn(24, requires_grad=True),)"),
        safe=False,
    ),
)
