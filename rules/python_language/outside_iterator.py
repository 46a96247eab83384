"""An iterator or generator that was made outside the compiled region cannot be consumed inside it.

Dynamo cannot trace it. The same goes for `zip`, `map` and `enumerate` objects that are passed in, and for a
`DataLoader`. All of these are traced if they are made inside the region.

**Instead**

- pass a list or a tuple;
- make the iterator inside: `zip`, `map`, `enumerate` and generators are traced there;
- loop over a `DataLoader` outside, and compile one step.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class OutsideIterator(Rule):
    """GBL501."""

    code = "GBL501"
    name = "outside-iterator"
    summary = "consuming an iterator or generator made outside the region"
    gb_ids = ("GB0811", "GB4347", "GB0253", "GB0008")
    on = (On("iterator"),)
    message_template = "`{expression}` consumes an iterator that was made outside the region"
    help_template = "make the iterator inside the region, or pass a list"
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
    )
