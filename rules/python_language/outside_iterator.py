"""An iterator or generator that was created outside the compiled region cannot be consumed inside it.

This includes `zip`, `map` and `enumerate` objects that are passed in, and a `DataLoader`, but not `itertools.count()`.
`zip`, `map`, `enumerate` and generators are traced if they are created inside the region.

**Instead**

- pass a list or a tuple;
- create the iterator inside the region;
- loop over a `DataLoader` outside, and compile one step.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class OutsideIterator(Rule):
    """GBL501."""

    code = "GBL501"
    name = "outside-iterator"
    summary = "consuming an iterator or generator created outside the region"
    gb_ids = ("GB0811", "GB4347", "GB0253", "GB0008")
    on = (On("iterator"),)
    message_template = "`{expression}` consumes an iterator that was created outside the region"
    help_template = "create the iterator inside the region, or pass a list"
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
from collections.abc import Iterator

import torch


def f(x: torch.Tensor, steps: Iterator[int]) -> torch.Tensor:
    y = x + 1
    for step in steps:  # breaks: GB0811
        y = y + step
    return y
""",
            "(torch.randn(4), iter([1, 2]))",
        ),
    )
    CLEAN = (
        Example(
            """\
from collections.abc import Iterator

import torch


def steps(count: int) -> Iterator[int]:
    for step in range(count):
        yield step


def f(x: torch.Tensor) -> torch.Tensor:
    for step in steps(3):
        x = x + step
    return x + next(steps(2))
""",
        ),
        Example(
            """\
from itertools import count

import torch


class Variable:
    numbers = count()

    def __init__(self, value: torch.Tensor) -> None:
        self.value, self.number = value, next(Variable.numbers)


def f(x: torch.Tensor) -> torch.Tensor:
    return Variable(x).value + 1
""",
        ),
    )
