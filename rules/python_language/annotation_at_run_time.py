"""A type annotation used as a value in the region: `list[int](...)`, `Box[int](...)`, `List[x]`.

Annotations on parameters and variables cost nothing, and `list[int]` may be built, compared and inspected. Only calling
one breaks the graph: Dynamo does not find the class.

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
    message_template = "`{expression}` uses a type annotation as a run-time value"
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
    )
