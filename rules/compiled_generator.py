"""A generator function is not compiled: Dynamo skips it without a word, and raises under `fullgraph=True`.

A generator that is consumed inside a compiled function is traced.

**Instead** compile the function that consumes it, or collect the results in a list and return that.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class CompiledGenerator(Rule):
    """GBL502."""

    code = "GBL502"
    name = "compiled-generator"
    summary = "a generator function that is compiled itself"
    gb_ids = ("GB0003",)
    on = (On("generator"),)
    said = "`{function}` is a generator, which Dynamo does not compile"
    advice = "compile the function that consumes it, or return a list"
    BREAKS = (
        Example(
            """\
from collections.abc import Iterator

import torch


@torch.compile(fullgraph=True)  # breaks: GB0003
def f(x: torch.Tensor) -> Iterator[torch.Tensor]:
    yield x[:2] * 2
    yield x[2:] * 2
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
from collections.abc import Iterator

import torch


def halves(x: torch.Tensor) -> Iterator[torch.Tensor]:
    yield x[:2]
    yield x[2:]


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([part * 2 for part in halves(x)])
""",
        ),
    )
