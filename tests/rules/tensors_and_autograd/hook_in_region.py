"""More examples of GBL601, hook-in-region."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.linear.register_full_backward_hook(lambda module, given, out: None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        return self.linear(x)  # breaks: GB0083
""",
    ),
    Example(
        """\
import torch

layer = torch.nn.Linear(4, 4)


def f(x: torch.Tensor) -> torch.Tensor:
    handle = layer.register_forward_pre_hook(lambda module, inputs: None)  # breaks: GB0467
    y = layer(x)
    handle.remove()  # breaks: GB0013
    return y
""",
        inputs="(torch.randn(2, 4),)",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y.register_hook(lambda gradient: gradient * 2)
    return y
""",
        "(torch.randn(4, requires_grad=True),)",
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.linear.register_forward_hook(lambda module, inputs, output: output * 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)


plain = Layer()
watched = Layer()
watched.linear.register_full_backward_hook(lambda module, given, out: None)


def f(x: torch.Tensor) -> torch.Tensor:
    return plain(x)
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4, bias=False)
        torch.nn.init.ones_(self.inner.weight)
        self.kept = None
        self.ready = False

    def _keep(self, module: nn.Module, given: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        self.kept = output.detach()

    def _register(self) -> None:
        # for good
        layer = self.inner
        layer.register_forward_hook(self._keep)
        self.ready = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        if not self.ready:
            self._register()
        y = self.inner(x)
        return y + self.kept
""",
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4, bias=False)
        torch.nn.init.ones_(self.inner.weight)
        self.kept = None
        self.ready = False
        if not self.ready:
            self._register()

    def _keep(self, module: nn.Module, given: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        self.kept = output.detach()

    def _register(self) -> None:
        # for good
        layer = self.inner
        layer.register_forward_hook(self._keep)
        self.ready = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        y = self.inner(x)
        return y + self.kept
""",
        calls=("(torch.ones(2, 4),)", "(torch.ones(2, 4, requires_grad=True),)"),
        safe=False,
        choice="call-helper-in-init",
    ),
)
