"""A generator function is not compiled: Dynamo skips it without a warning, and raises under `fullgraph=True`.

The result of `torch.compile` runs eagerly, and so does a module whose `forward` yields. The functions that it calls are
not compiled either. A generator that is consumed inside a compiled function is traced.

**Instead** compile the function that consumes it, or the function that it calls for each item; or collect the results
in a list and return that.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class CompiledGenerator(Rule):
    """GBL502."""

    code = "GBL502"
    name = "compiled-generator"
    summary = "a generator function that is compiled itself"
    gb_ids = ("GB0003",)
    on = (On("generator"), On("divergence", ("compiled-generator",)))
    message_template = "`{function}` is a generator, which Dynamo does not compile"
    help_template = "compile the function that consumes it, or return a list"
    escape_hatches = OUTSIDE
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
    DIVERGES = (
        Example(
            """\
import torch
from collections.abc import Iterator


def powers(x: torch.Tensor) -> Iterator[torch.Tensor]:  # diverges
    for _ in range(3):
        x = x * x
        yield x


compiled = torch.compile(powers)


def f(x: torch.Tensor) -> list[torch.Tensor]:
    return list(compiled(x))
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def powers(x):
    for _ in range(3):
        x = x * x
        yield x


@torch.compile
def total(x: torch.Tensor) -> torch.Tensor:
    return sum(powers(x))


def f(x: torch.Tensor) -> torch.Tensor:
    return total(x)
""",
        ),
    )
