"""More examples of GBL519, nested-function-object."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import types

import torch


class Plain:
    pass


plain = Plain()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1

    def scale(self: Plain, value: torch.Tensor) -> torch.Tensor:
        return value * 2

    bound = types.MethodType(scale, plain)  # breaks: GB0147
    return y + 1
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1

    def scale(value: torch.Tensor) -> torch.Tensor:
        return value * y

    return scale(x), repr(scale)  # breaks: GB1584
""",
    ),
    Example(
        """\
import inspect

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    def scale(factor: float = 2.0) -> torch.Tensor:
        return x * factor

    if "factor" in inspect.signature(scale).parameters:  # breaks: GB0088
        return scale(3.0)
    return scale()
""",
    ),
    Example(
        """\
import torch


class Plain:
    pass


plain = Plain()


def f(x: torch.Tensor) -> torch.Tensor:
    def scale(self: Plain, factor: float = 2.0) -> torch.Tensor:
        return x * factor

    bound = scale.__get__(plain)  # breaks: GB0088
    return bound(3.0)
""",
    ),
)
CLEAN = (
    Example(
        """\
from functools import partial

import torch


class Plain:
    factor = 2


plain = Plain()


def f(x: torch.Tensor) -> torch.Tensor:
    def scale(self: Plain, value: torch.Tensor) -> torch.Tensor:
        return value * self.factor

    return partial(scale, plain)(x)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str]:
    def scale(value: torch.Tensor) -> torch.Tensor:
        return value * 2

    return scale(x), repr(scale), scale.__name__
""",
    ),
    Example(
        """\
import inspect

import torch


def scale(value: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    return value * factor


def f(x: torch.Tensor) -> torch.Tensor:
    if "factor" in inspect.signature(scale).parameters:
        return scale(x, 3.0)
    return scale(x)
""",
    ),
)
