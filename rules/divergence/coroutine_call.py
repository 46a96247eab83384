"""Dynamo calls a coroutine function as if it were a plain one: the result is the value, not a coroutine.

In eager mode, calling `async def stage` returns a coroutine that runs when it is awaited. Dynamo inlines the body at
the call; the value that is returned, stored or passed to `asyncio.gather` is then a tensor. (A coroutine with an
`await` in it breaks the graph instead.)

**Instead** compile the plain functions that the coroutines call, and leave the `async` part outside of the region.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CoroutineCall(Rule):
    """GBL812."""

    code = "GBL812"
    name = "coroutine-call"
    summary = "a coroutine function called in the region"
    category = Category.DIVERGENCE
    on = (On("divergence", ("coroutine-call",)),)
    message_template = "under Dynamo, `{expression}` runs the coroutine function immediately"
    help_template = "compile the functions that the coroutine calls, not its caller"
    DIVERGES = (
        Example(
            """\
import torch


async def stage(x: torch.Tensor) -> torch.Tensor:
    return x + 1


@torch.compile
def pending(x: torch.Tensor) -> list[object]:
    return [stage(x)]  # diverges


def f(x: torch.Tensor) -> list[str]:
    return [type(each).__name__ for each in pending(x)]
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import asyncio

import torch


@torch.compile
def stage(x: torch.Tensor) -> torch.Tensor:
    return x + 1


async def run(x: torch.Tensor) -> torch.Tensor:
    return stage(x)


def f(x: torch.Tensor) -> torch.Tensor:
    return asyncio.run(run(x))
""",
        ),
    )
