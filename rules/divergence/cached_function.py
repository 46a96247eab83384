"""Dynamo ignores `functools.lru_cache` and `functools.cache`: the function runs again at every call.

Dynamo inlines the function inside the cache (and warns once). If the function is pure, the graph only repeats its work.
A function that generates random numbers, counts, or changes something else gives other results than in eager mode: it
runs at every call instead of once.

**Instead** compute the value before the region and pass it in or keep it as a buffer; or mark the cached function
`torch.compiler.assume_constant_result` if it returns a constant.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CachedFunction(Rule):
    """GBL816."""

    code = "GBL816"
    name = "cached-function"
    summary = "a cached function that is not pure"
    category = Category.DIVERGENCE
    on = (On("divergence", ("cached-function",)),)
    message_template = "`{expression}` calls a cached function that is not pure, and Dynamo ignores the cache"
    help_template = "compute it outside of the region, and keep it in a buffer"
    DIVERGES = (
        Example(
            """\
import functools

import torch


@functools.lru_cache(maxsize=None)
def noise(size: int) -> torch.Tensor:
    return torch.randn(size)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + noise(4) - noise(4)  # diverges
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import functools

import torch


@functools.lru_cache(maxsize=None)
def frequencies(size: int) -> torch.Tensor:
    return 1.0 / (10000 ** (torch.arange(0, size, 2) / size))


def f(x: torch.Tensor) -> torch.Tensor:
    return x + frequencies(8)
""",
        ),
    )
