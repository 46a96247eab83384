"""An iterator or generator that was made outside the compiled region cannot be consumed inside.

Dynamo cannot look into it. The same goes for `zip`, `map` and `enumerate` objects that are passed in, and for a
`DataLoader`. Made inside the region, they all are traced.

**Instead**

- hand in a list or a tuple;
- make the iterator inside: `zip`, `map`, `enumerate` and generators are traced there;
- loop over a `DataLoader` outside, and compile what one step does.
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
        Example(
            """\
import torch

steps = (step for step in [1, 2])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for step in steps:  # breaks: GB0811
        y = y + step
    return y
""",
        ),
        Example(
            """\
from collections.abc import Generator

import torch


def f(x: torch.Tensor, steps: Generator[int, None, None]) -> torch.Tensor:
    y = x + 1
    return y + next(steps)  # breaks: GB4347
""",
            "(torch.randn(4), (step for step in [1, 2]))",
        ),
        Example(
            """\
import torch
from torch.utils.data import DataLoader

loader = DataLoader([torch.ones(4)])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for batch in loader:  # breaks: GB0008
        y = y + batch
    return y
""",
        ),
        Example(
            """\
from collections.abc import Generator

import torch


def f(x: torch.Tensor, steps: Generator[int, None, None]) -> torch.Tensor:
    y = x + 1
    y = y + steps.send(None)  # breaks: GB0253
    y = y * 2
    steps.close()  # breaks: GB0253
    return y + 1
""",
            "(torch.randn(4), (step for step in [1, 2]))",
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
import torch

numbers = [1, 2]


def f(x: torch.Tensor) -> torch.Tensor:
    for a, b in zip(numbers, map(lambda v: v * 2, numbers)):
        x = x + a * b
    return x + sum(v for v in numbers) + next(iter(numbers))
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor, parts: dict[str, torch.Tensor]) -> torch.Tensor:
    for name, part in parts.items():
        x = x + part * len(name)
    return x
""",
            "(torch.randn(4), {'a': torch.randn(4)})",
        ),
        Example(
            """\
from collections.abc import Generator

import torch


def steps() -> Generator[int, int, None]:
    got = yield 1
    yield got


def f(x: torch.Tensor) -> torch.Tensor:
    running = steps()
    x = x + next(running)
    x = x + running.send(2)
    running.close()
    return x
""",
        ),
    )
