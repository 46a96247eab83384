"""More examples of GBL499, untraceable-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return max([y, y * 2], key=lambda t: t.shape[0])  # breaks: GB0193
""",
    ),
    Example(
        """\
import collections

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x + 1
    last = collections.deque([1, 2])
    last.rotate(1)  # breaks: GB0156
    return x + last[0]
""",
    ),
    Example(
        """\
import functools

import torch


@functools.singledispatch
def width(value: object) -> int:
    return 1


@width.register(int)
def _(value: int) -> int:
    return value


def f(x: torch.Tensor) -> torch.Tensor:
    return x + width(3)  # breaks: GB0811
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    sizes = sorted([3, 1], key=lambda v: -v)
    names = {name: index for index, name in enumerate(("a", "b"))}
    longest = max(["a", "bb"], key=len)
    return x * sizes[0] + names["b"] + divmod(7, 2)[1] + abs(-2) + len(longest) + sum(zip((1,), (2,)), ())[0]
""",
    ),
    Example(
        """\
import locale

import torch

NAME = locale.getlocale()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(NAME)
""",
    ),
    Example(
        """\
import locale

import torch


@torch.compiler.assume_constant_result
def decimal_point() -> str:
    return str(locale.localeconv()["decimal_point"])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * len(decimal_point())
""",
    ),
)
