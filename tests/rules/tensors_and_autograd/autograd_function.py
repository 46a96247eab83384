"""More examples of GBL640, autograd-function."""

from __future__ import annotations

from gblint.rules.examples import Example

_HEAD = """\
from typing import Any

import torch


"""

_SCALE = (
    _HEAD
    + """\
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x, y = ctx.saved_tensors
        return gradient * y, gradient * x


"""
)

_WITH_GRADIENT = "(torch.randn(4, requires_grad=True),)"

BREAKS = (
    Example(
        _HEAD
        + """\
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 2

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor) -> torch.Tensor:
        return tangent * 2


class Negate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return -x

    @staticmethod
    def vjp(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return -gradient


def f(x: torch.Tensor) -> torch.Tensor:
    y = Double.apply(x + 1)  # breaks: GB0144
    y = y + 1
    return Negate.apply(y)  # breaks: GB0145
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
import functools
from typing import Any

import torch


def scaled(ctx: Any, x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    return x * scale


class Half(torch.autograd.Function):
    forward = functools.partial(scaled, scale=0.5)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 0.5


def f(x: torch.Tensor) -> torch.Tensor:
    y = Half.apply(x + 1)  # breaks: GB0346
    with torch.no_grad():
        y = y + 1
        y = Half.apply(y)  # breaks: GB0085
    return y
""",
        _WITH_GRADIENT,
    ),
    Example(
        _HEAD
        + """\
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, *, scale: float) -> torch.Tensor:
        return x * scale

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        return Scaled.apply(y, scale=2.0)  # breaks: GB4372
    except TypeError:
        return y * 2.0
""",
    ),
    Example(
        _HEAD
        + """\
class Increment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        ctx.mark_dirty(x)  # breaks: GB2019
        return x

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


def f(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        y = x * 2
        y = Increment.apply(y)
    return y + 1
""",
    ),
    Example(
        _HEAD
        + """\
class Increment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)  # breaks: GB2019
        return x.add_(1)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    return Increment.apply(y)  # breaks: GB2464
""",
        _WITH_GRADIENT,
    ),
    Example(
        _HEAD
        + """\
class Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx._materialize_non_diff_grads = False
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Split.apply(x + 1)  # breaks: GB0347
""",
        _WITH_GRADIENT,
    ),
    Example(
        _HEAD
        + """\
class Half(torch.autograd.Function):
    @classmethod
    def forward(cls, ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 0.5

    @classmethod
    def backward(cls, ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 0.5


WEIGHT = torch.nn.Parameter(torch.ones(4))


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + Half.apply(WEIGHT)  # breaks: GB7312
""",
    ),
    Example(
        _HEAD
        + """\
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return Square.power(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient

    def power(x: torch.Tensor) -> torch.Tensor:
        return x * x


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return Square.power(y)  # breaks: GB0140
""",
    ),
    Example(
        """\
from typing import Any

import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.scale = 2
        scale = ctx.scale
        del ctx.scale  # breaks: GB0139
        return x * scale

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Double.apply(x + 1)
""",
        _WITH_GRADIENT,
    ),
)
CLEAN = (
    Example(
        _SCALE
        + """\
class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return Scale().apply(x, x * 2) + 1
""",
        "(torch.randn(4, requires_grad=True),)",
    ),
    Example(
        _SCALE
        + """\
def f(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        y = x * 2
        return Scale.apply(y, y)
""",
        _WITH_GRADIENT,
    ),
    Example(
        _HEAD
        + """\
class Increment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, step: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
        x.add_(step)
        positive = x > 0
        ctx.mark_dirty(x)
        ctx.mark_non_differentiable(positive)
        ctx.set_materialize_grads(False)
        return x, positive

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, _: Any) -> tuple[Any, ...]:
        if not gradient.is_contiguous():
            gradient = gradient.contiguous()
        return gradient, None


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y, positive = Increment.apply(y, 2.0)
    return torch.where(positive, y, -y)
""",
        _WITH_GRADIENT,
    ),
    Example(
        _HEAD
        + """\
class Double(torch.autograd.Function):
    @staticmethod
    def forward(x: torch.Tensor) -> torch.Tensor:
        return Double.twice(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return Double.twice(gradient) + 0 * x

    @staticmethod
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Double.apply(x + 1)
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
import torch


class Registry:
    @staticmethod
    def apply(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x * y


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    return Registry.apply(y, y)
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
from typing import Any

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, scale: float) -> torch.Tensor:
        ctx.scale = scale
        return x * scale

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return gradient * ctx.scale, None

    @classmethod
    def tripled(cls, x: torch.Tensor) -> torch.Tensor:
        return cls.apply(x, 3.0)


def f(x: torch.Tensor) -> torch.Tensor:
    return Scale.tripled(x + 1)
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
        return gradient * 2

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int, ...], x: torch.Tensor) -> tuple[torch.Tensor, int]:
        return Double.apply(x), in_dims[0]


def f(x: torch.Tensor) -> torch.Tensor:
    y = Double.apply(x)
    return Double.apply(y) + y
""",
        _WITH_GRADIENT,
    ),
    Example(
        """\
from typing import Any

import torch
from torch.autograd.function import once_differentiable


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        return x * scale

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return gradient, None


def f(x: torch.Tensor) -> torch.Tensor:
    return Scale.apply(x + 1, scale=2.0)
""",
    ),
    Example(
        """\
from typing import Any

import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        scale = 2
        ctx.scale = scale
        return x * scale

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * getattr(ctx, "scale", 1)


def f(x: torch.Tensor) -> torch.Tensor:
    return Double.apply(x + 1)
""",
        _WITH_GRADIENT,
    ),
)
