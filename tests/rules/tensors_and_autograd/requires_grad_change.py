"""More examples of GBL602, requires-grad-change."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.requires_grad = True  # breaks: GB0206
    return y * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    bias = torch.zeros(4, requires_grad=True)  # breaks: GB0225
    return x + bias
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        self.linear.requires_grad_(False)  # breaks: GB0125
        return self.linear(x)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.requires_grad_()  # breaks: GB8985
    return y * 2
""",
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)  # breaks: GB7324
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.requires_grad_()
    return y * 2
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * torch.testing.make_tensor((4,), dtype=torch.float32, device="cpu")  # breaks: GB0206
""",
    ),
    Example(
        """\
import torch
from torch import nn

layer = nn.Linear(4, 4)


def f(x: torch.Tensor) -> torch.Tensor:
    layer.weight.requires_grad_(True)
    layer.bias.requires_grad_(False)  # breaks: GB0125
    return layer(x)
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.func.grad(lambda t: (t * t).sum())(x)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.requires_grad_()
    return (y * 2).detach() * y.shape[0]
""",
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.requires_grad_()
    return y.detach() * 2
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    loss = torch.zeros(1, requires_grad=True)
    loss = loss + x.sum()
    return loss * 2
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    loss = torch.zeros(1, requires_grad=not torch.compiler.is_compiling())
    loss = loss + x.sum()
    return loss * 2
""",
        calls=("(torch.randn(4, requires_grad=True),)",),
        safe=False,
        choice="require-grad-in-eager-runs",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        states = x * 2
        if self.training:
            # For checkpoints, which need an input with a gradient.
            states.requires_grad = True
        return self.norm(states)
""",
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        states = x * 2
        if self.training:
            # For checkpoints, which need an input with a gradient.
            if not torch.compiler.is_compiling():
                states.requires_grad = True
        return self.norm(states)
""",
        safe=False,
        choice="set-in-eager-runs",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.LayerNorm(4) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        states = x[:, None]
        if self.training:
            states.requires_grad = True
        for layer in self.layers:
            states = layer(states)
        return states
""",
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.LayerNorm(4) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        states = x[:, None]
        if self.training:
            if not torch.compiler.is_compiling():
                states.requires_grad = True
        for layer in self.layers:
            states = layer(states)
        return states
""",
        calls=("(torch.randn(2, 4),)",),
        safe=False,
        choice="set-in-eager-runs",
    ),
)
