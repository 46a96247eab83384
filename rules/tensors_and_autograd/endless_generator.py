"""An endless generator is unpacked into a fixed number of variables.

Dynamo consumes the whole generator first to check the number of items. It gives up after some hundred thousand steps,
and the function runs eagerly. Python raises a `ValueError` at the first surplus item.

**Instead** take only the needed items: `next(numbers)`, `itertools.islice(numbers, 2)`, `zip(values, numbers)`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class EndlessGenerator(Rule):
    """GBL651."""

    code = "GBL651"
    name = "endless-generator"
    summary = "unpacking a generator that never ends"
    gb_ids = ("GB2549",)
    on = (On("generator", ("endless",)),)
    message_template = "`{expression}` unpacks a generator that never ends"
    help_template = "take the items that you need with `next` or `itertools.islice`"
    BREAKS = (
        Example(
            """\
from collections.abc import Iterator

import torch


def numbers() -> Iterator[int]:
    number = 0
    while True:
        number += 1
        yield number


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        first, second = numbers()  # breaks: GB2549
    except ValueError:
        first, second = 1, 2
    return y + first + second
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import itertools
from collections.abc import Iterator

import torch


def numbers() -> Iterator[int]:
    number = 0
    while True:
        number += 1
        yield number


def f(x: torch.Tensor) -> torch.Tensor:
    first, second = itertools.islice(numbers(), 2)
    for factor, number in zip([1, 2], numbers()):
        x = x + factor * number
    return x + first + second + next(numbers())
""",
        ),
    )
