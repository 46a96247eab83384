"""A hook of a tensor, or the `backward` of an autograd function, that asks what a gradient does not tell yet.

Dynamo traces the hook that `y.register_hook(hook)` is given where `y` was computed in the region, and the `backward`
of a `torch.autograd.Function`, before any gradient is there. `gradient.layout`, `is_neg()`, `is_conj()` and
`is_pinned()` cannot be answered then; in a hook neither can `is_contiguous()`, `stride()` and `storage_offset()`. A
hook must not change what is outside of it, and the handle cannot be stored in a global variable. A hook on an *input*
of the region is registered as it is, without being traced.

**Instead** compute with the gradient only: `gradient.contiguous()` needs no test before it. Keep the handle in a
local variable or on an object. Register hooks that look at gradients (logging, checks) on inputs or on parameters,
outside the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule

_WITH_GRADIENT = "(torch.randn(4, requires_grad=True),)"


class TensorHook(Rule):
    """GBL641."""

    code = "GBL641"
    name = "tensor-hook"
    summary = "a hook of a tensor, or a backward pass, that cannot be traced"
    gb_ids = ("GB0102", "GB0068", "GB7444", "GB0100", "GB0101")
    on = (On("tensor-hook"),)
    message_template = "`{name}` of a gradient is not known while the backward pass is traced"
    help_template = "compute with the gradient whatever its layout is"
    wording = (
        ("layout", "the hook of `{expression}` asks for the strides of a gradient", "call `.contiguous()` on it"),
        ("global-handle", "`{expression}` is global, and is given the handle of a hook", "keep the handle elsewhere"),
    )
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


def unflip(gradient: torch.Tensor) -> torch.Tensor:
    if gradient.is_neg():  # breaks: GB0102
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


def dense(gradient: torch.Tensor) -> torch.Tensor:
    return gradient.contiguous().clamp(-1, 1)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    handle = y.register_hook(dense)
    return y * 2
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
