"""More examples of GBL499, untraceable-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


class Options:
    fast = True


options = Options()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + len(dir())  # breaks: GB0193
    return y + len(dir(options))  # breaks: GB0059
""",
    ),
    Example(
        """\
from typing import TYPE_CHECKING, ClassVar

import rpds
import torch


class Placeholder:
    def __getattr__(self, name: str) -> object:
        raise AttributeError(name)


class Meta(type):
    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
        cls = super().__new__(mcs, name, bases, body)
        cls.checks = rpds.HashTrieMap({"a": 1})
        return cls


class Model(metaclass=Meta):
    if TYPE_CHECKING:
        checks: ClassVar[rpds.HashTrieMap]
    else:
        checks = Placeholder()


model = Model()


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    x = x + 1
    rest = model.checks.insert("b", 2)  # breaks: GB0156
    return x * 2, rest
""",
        needs=("rpds-py",),
    ),
    Example(
        """\
import rpds
import torch
from markupsafe import _speedups

names = rpds.HashTrieMap({"a": 1})


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    x = x + 1
    more = names.insert("b", 2)  # breaks: GB0156
    x = x + 1
    made = rpds.List([1])  # breaks: GB0156
    x = x + 1
    text = _speedups._escape_inner("<a>")  # breaks: GB0007
    return x * 2, (more, made, text)
""",
        needs=("rpds-py", "markupsafe"),
    ),
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
    Example(
        """\
import torch
from dataclasses import dataclass


@dataclass(order=True)
class Scale:
    value: int


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * max(Scale(1), Scale(2)).value  # breaks: GB0059
""",
    ),
    Example(
        """\
import operator

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    scales = [1, 2]
    operator.setitem(scales, 0, 5)  # breaks: GB0059
    return x * scales[1]
""",
    ),
    Example(
        """\
import torch


class Scale:
    def __init__(self) -> None:
        self.value = 2


scale = Scale()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * object.__getattribute__(scale, "value")  # breaks: GB0156
""",
    ),
)
CLEAN = (
    Example(
        """\
import math

import torch


class Options:
    fast = True


def f(x: torch.Tensor) -> torch.Tensor:
    if "sinc" in dir(torch.special) and "fast" in dir(Options):
        x = x + len(dir(math)) + len(dir([1, 2]))
    return x * len(dir(f))
""",
    ),
    Example(
        """\
import rpds
import torch

names = rpds.HashTrieMap({"a": 1})


def f(x: torch.Tensor) -> torch.Tensor:
    if isinstance(names, rpds.HashTrieMap):
        return x + 1
    return x
""",
        needs=("rpds-py",),
    ),
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
