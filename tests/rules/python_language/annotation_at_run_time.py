"""More examples of GBL517, annotation-at-run-time."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
from collections import Counter, OrderedDict, defaultdict, deque
from typing import TypeVar

import torch

T = TypeVar("T")


class Sizes(list[T]):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    x = x + 1
    first = OrderedDict[str, int]([("a", 1)])  # breaks: GB0147
    x = x + first["a"]
    second = deque[int]([1])  # breaks: GB0147
    x = x + second[0]
    third = defaultdict[str, int](int)  # breaks: GB0147
    x = x + third["a"]
    fourth = Counter[str]("ab")  # breaks: GB0147
    x = x + fourth["a"]
    fifth = Sizes[int]([1])  # breaks: GB0147
    return x + fifth[0]
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    sizes = list[int]([1, 2])  # breaks: GB0147
    return y * sizes[0]
""",
    ),
    Example(
        """\
from typing import List

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    parts = List[y]  # breaks: GB9137
    return y * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    kind = int | None
    if kind.__eq__(int):  # breaks: GB0289
        y = y * 2
    return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import typing

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    kind = list[int]
    sizes: list[int] = list([1, 2])
    if typing.get_origin(kind) is list and kind.__origin__ is list:
        x = x * sizes[0]
    return x + 1
""",
    ),
    Example(
        """\
from typing import List, Optional, cast

import torch


def f(x: torch.Tensor, scale: Optional[int] = None) -> torch.Tensor:
    def grow(value: Optional[int]) -> List[int]:
        return [value or 2]

    parts = cast(List[torch.Tensor], [x])
    return parts[0] * grow(scale)[0]
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    kinds = {list[int]: 2}
    return x * len(kinds) if isinstance(3, int | float) else x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    kind = int | None
    if kind == int:
        x = x * 2
    return x + 1
""",
    ),
)
