"""The value of `yield from` is lost: it is None under Dynamo.

`r = yield from g()` is the return value of the generator `g`. Dynamo passes the yielded values on, but loses the return
value, without a break or a warning: the compiled function continues with `None`. The return value in `StopIteration` is
right, so a loop over `next` sees it.

**Instead** return the value some other way: yield it last, put it into a list that is passed in, or make the inner
generator a plain function that returns a list and the value.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class YieldFromValue(Rule):
    """GBL811."""

    code = "GBL811"
    name = "yield-from-value"
    summary = "the value of `yield from` a generator"
    category = Category.DIVERGENCE
    on = (On("divergence", ("yield-from-value",)),)
    message_template = "`{expression}` is None under Dynamo, not the return value of the generator"
    help_template = "yield the value, or return it from a plain function"
    DIVERGES = (
        Example(
            """\
import torch
from collections.abc import Iterator


def halves(x: torch.Tensor) -> Iterator[torch.Tensor]:
    yield x[:2]
    yield x[2:]
    return x.sum()


def both(x: torch.Tensor) -> Iterator[torch.Tensor]:
    total = yield from halves(x)  # diverges
    yield total


def f(x: torch.Tensor) -> list[torch.Tensor]:
    return list(both(x))
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def halves(x):
    yield x[:2]
    yield x[2:]
    return x.sum()


def both(x):
    yield from halves(x)
    yield from [x + 1, x + 2]
    nothing = yield from (x * i for i in range(2))
    yield x if nothing is None else x - 1


def f(x: torch.Tensor) -> list[torch.Tensor]:
    return list(both(x))
""",
        ),
    )
