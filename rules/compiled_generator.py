"""A generator function that is compiled is never compiled: Dynamo skips it without a word.

`torch.compile` of a function with a `yield` returns something that works and runs eagerly, and so does a module whose
`forward` yields; not even the functions it calls are compiled. Only `fullgraph=True` says so (GB0003). Inside a
region generators are traced as they should be.

**Instead** compile what the generator calls for each item, or the function that goes through it; or return a list.
"""

from __future__ import annotations

from gblint.findings import Category
from gblint.rules.base import Example, On, Rule


class CompiledGenerator(Rule):
    """GBL813."""

    code = "GBL813"
    name = "compiled-generator"
    summary = "a compiled generator function"
    category = Category.DIVERGENCE
    on = (On("divergence", ("compiled-generator",)),)
    said = "`{function}` is a generator function: Dynamo leaves it uncompiled without saying so"
    advice = "compile what it calls, or what calls it"
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
        Example(
            """\
import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    @torch.compile
    def steps(self, x):  # diverges
        for _ in range(3):
            x = self.linear(x)
            yield x


sampler = Sampler()


def f(x: torch.Tensor) -> list[torch.Tensor]:
    return list(sampler.steps(x))
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
        Example(
            """\
import torch


@torch.compile
def step(x: torch.Tensor) -> torch.Tensor:
    return x * x


def f(x: torch.Tensor) -> list[torch.Tensor]:
    def powers(x):
        for _ in range(3):
            x = step(x)
            yield x

    return list(powers(x))
""",
        ),
    )
