"""More examples of GBL520, object-to-text."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


class Plain:
    def __init__(self, value: int) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Plain({self.value})"


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str, str]:
    y = x + 1
    a = str([y])  # breaks: GB0059
    b = repr({"y": (y, 1)})  # breaks: GB0569
    c = str(Plain(2))  # breaks: GB0059
    return y, a, b, c
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    return y, "%s %d" % ([y], 1)  # breaks: GB0088
""",
    ),
    Example(
        """\
import datetime

import torch

day = datetime.date(2026, 1, 1)


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    name = repr(day)  # breaks: GB2852
    return y * 2, name
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    pairs = zip([1], [2])
    return y * 2, repr(pairs)  # breaks: GB6053
""",
    ),
    Example(
        """\
import torch
from dataclasses import dataclass


@dataclass
class Scale:
    value: int


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + len(str(Scale(2)))  # breaks: GB0059
""",
    ),
    Example(
        """\
import torch
from dataclasses import dataclass


@dataclass
class Scale:
    value: int


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + len(repr(Scale(2)))  # breaks: GB0007
""",
    ),
    Example(
        """\
import torch


class Scale:
    def __str__(self) -> str:
        return "scale"


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + len(f"{Scale()}")  # breaks: GB0088
""",
    ),
    Example(
        """\
import pathlib

import torch

PATH = pathlib.Path("a")


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    text = f"{PATH}" + "b"  # breaks: GB3934
    return y * 2
""",
    ),
    Example(
        """\
import pathlib

import torch

PATH = pathlib.Path("a")


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    text = "%s" % PATH  # breaks: GB0088
    return y * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch
from collections import Counter, OrderedDict, defaultdict

options = OrderedDict(a=1)
lists = defaultdict(list, a=[1])
counts = Counter("aab")


class Plain:
    def __init__(self) -> None:
        self.value = 1

    def __repr__(self) -> str:
        return "plain"


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str, str]:
    y = x + 1
    texts = str(options) + repr(lists) + "%s" % (counts,)
    return y, texts, str([options]) + str(Plain()), str(OrderedDict(a=x))
""",
    ),
    Example(
        """\
import torch
from dataclasses import dataclass


@dataclass
class Scale:
    value: int


scale = Scale(2)


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str, str]:
    return x * 2, str(scale) + str({"a": [1]}), "%s" % ([1],), f"{[x]}"
""",
    ),
    Example(
        """\
import torch


class Layer:
    def __repr__(self) -> str:
        return "Layer"


layer = Layer()


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str]:
    return x * 2, str(layer), repr(layer)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str]:
    return x * 2, repr(list(zip([1], [2]))), str({"a": (1, 2.0)})
""",
    ),
    Example(
        """\
import torch
from dataclasses import dataclass


@dataclass(repr=False)
class Plain:
    value: int


@dataclass
class Scale:
    value: int

    def __repr__(self) -> str:
        return "scale"


def f(x: torch.Tensor) -> torch.Tensor:
    return x + min(len(str(Plain(2))), 1) + len(repr(Scale(2)))
""",
    ),
    Example(
        """\
import datetime

import torch

DAY = datetime.date(2026, 1, 1)


class Scale(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, str]:
        if x.dim() > 2:
            raise ValueError(f"{self} takes vectors")
        text = "{} on {}".format(f"[{self}]", DAY)
        return x * 2, text


scale = Scale()


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    return scale(x)
""",
    ),
)
