"""More examples of GBL603, backward-in-region."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * 2).sum()
    (gradient,) = torch.autograd.grad(loss, x)  # breaks: GB9186
    return gradient
""",
        "(torch.randn(4, requires_grad=True),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * 2).sum()
    torch.autograd.backward(loss)  # breaks: GB0007
    return loss
""",
        "(torch.randn(4, requires_grad=True),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y.retain_grad()  # breaks: GB0108
    return y * 2
""",
        "(torch.randn(4, requires_grad=True),)",
    ),
    Example(
        """\
import torch
from torch.autograd import Variable


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if Variable._execution_engine.is_checkpoint_valid():  # breaks: GB0165
        y = y * 2
    return y + 1
""",
    ),
    Example(
        """\
import torch
from torch.autograd import Variable


def after_backward(x: torch.Tensor) -> torch.Tensor:
    try:
        Variable._execution_engine.queue_callback(lambda: None)  # breaks: GB0166
    except RuntimeError:
        return x
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return after_backward(x + 1)
""",
    ),
)
CLEAN = (
    Example(
        """\
from typing import Any

import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Double.apply(x + 1)
""",
        "(torch.randn(4, requires_grad=True),)",
    ),
    Example(
        """\
import torch


class Chain:
    def backward(self) -> int:
        return 2


def f(x: torch.Tensor) -> torch.Tensor:
    return x * Chain().backward()
""",
        "(torch.randn(4, requires_grad=True),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if torch.is_grad_enabled() and x.requires_grad:
        return x * 2
    with torch.no_grad():
        return x + 1
""",
        "(torch.randn(4, requires_grad=True),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.func.jvp(lambda t: t * t, (x,), (torch.ones_like(x),))[1]
""",
        "(torch.randn(4, requires_grad=True),)",
    ),
)
