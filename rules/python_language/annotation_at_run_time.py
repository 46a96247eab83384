"""An annotation that is built or called while the region runs: `list[int](...)`, `Box[int](...)`, `List[x]`.

Annotations on parameters and variables cost nothing, and `list[int]` may be built, compared and taken apart. To call
one is what breaks: Dynamo has no class behind it.

**Instead** call the class: `list(...)`, `Box(...)`; annotate the variable.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class AnnotationAtRunTime(Rule):
    """GBL517."""

    code = "GBL517"
    name = "annotation-at-run-time"
    summary = "calling `list[int]` or `Box[int]`, subscripting with a tensor"
    gb_ids = ("GB0116", "GB0147", "GB9137", "GB4880", "GB0289")
    on = (On("operation", ("annotation",)), On("call", ("types.UnionType.*",)))
    message_template = "`{expression}` makes use of an annotation while the region runs"
    help_template = "call the class itself, and annotate the variable"
    BREAKS = (
        Example(
            """\
from typing import Generic, TypeVar

import torch

T = TypeVar("T")


class Box(Generic[T]):
    def __init__(self, value: T) -> None:
        self.value = value


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    box = Box[int](2)  # breaks: GB0116, GB0147
    return y * box.value
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
from typing import Generic, TypeVar

import torch

T = TypeVar("T")


class Box(Generic[T]):
    def __init__(self, value: T) -> None:
        self.value = value


def f(x: torch.Tensor) -> torch.Tensor:
    box: Box[int] = Box(2)
    return x * box.value
""",
        ),
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
