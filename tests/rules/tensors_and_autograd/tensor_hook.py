"""More examples of GBL641, tensor-hook."""

from __future__ import annotations

from gblint.rules.examples import Example

_WITH_GRADIENT = "(torch.randn(4, requires_grad=True),)"

BREAKS = (
    Example(
        """\
import torch


def unflip(gradient: torch.Tensor) -> torch.Tensor:
    if torch.Tensor.is_neg(gradient):  # breaks: GB0068
        return gradient.resolve_neg()
    return gradient


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.register_hook(unflip)
    return y * 2
""",
        _WITH_GRADIENT,
    ),
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
        if gradient.layout != torch.strided:  # breaks: GB0102
            gradient = gradient.to_dense()
        return gradient * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Double.apply(x + 1)
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
import torch


def dense(gradient: torch.Tensor) -> torch.Tensor:
    if not gradient.is_contiguous():
        gradient = gradient.contiguous()
    return gradient * 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.register_hook(dense)  # breaks: GB7444
    return y * 2
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
import torch

handle = None


def f(x: torch.Tensor) -> torch.Tensor:
    global handle
    y = x + 1
    handle = x.register_hook(lambda gradient: gradient * 2)  # breaks: GB0100
    return y * 2
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
import torch
from watch_gradients import watch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    watch(x)  # breaks: GB0101
    return y * 2
""",
        _WITH_GRADIENT,
        files=(
            (
                "watch_gradients.py",
                "handle = None\n\n\n"
                "def watch(x):\n    global handle\n    handle = x.register_hook(lambda gradient: gradient * 2)\n",
            ),
        ),
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    handle = x.register_hook(torch.neg)
    return x * 2, handle
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
import torch


def unflip(gradient: torch.Tensor) -> torch.Tensor:
    if gradient.is_neg() or not gradient.is_contiguous():
        return gradient.resolve_neg().contiguous()
    return gradient


def f(x: torch.Tensor) -> torch.Tensor:
    x.register_hook(unflip)
    return x * 2
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.layout == torch.strided and x.is_contiguous() and x.stride(0) == 1:
        return x * 2
    return x
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
import torch


class Watch:
    def __init__(self) -> None:
        self.handle = None

    def follow(self, x: torch.Tensor) -> None:
        self.handle = x.register_hook(lambda gradient: gradient * 2)


watch = Watch()


def f(x: torch.Tensor) -> torch.Tensor:
    watch.follow(x)
    return x * 2
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
import torch


def clip(gradient: torch.Tensor) -> torch.Tensor:
    return gradient / gradient.norm().clamp(min=1.0) if gradient.dim() == 1 else gradient


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.register_hook(clip)
    return y * 2
""",
        _WITH_GRADIENT,
    ),
)
