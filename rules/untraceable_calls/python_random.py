"""Dynamo replays `random.randint`, `uniform` and `randrange`; other functions of `random` end the graph.

Methods of a `random.Random` object are replayed as well. GBL450 describes how such a number can be used.

**Instead**

- numbers of torch: `torch.rand(())`, `torch.randint`, `torch.randperm`, which are in the graph;
- `random.uniform(0, 1)` for `random.random()`, where the number is combined with a tensor; `random.choice` has no such
  replacement, since a random number cannot index a list;
- for a random branch, `torch.where` with `torch.full((), random.uniform(0, 1), dtype=torch.float64) < chance`: the
  random numbers and the selected side are the same;
- your own generator, `random.Random(seed)`: its methods are replayed;
- random decisions for each step: make them outside, and pass the result in.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class PythonRandom(Rule):
    """GBL409."""

    code = "GBL409"
    name = "python-random"
    summary = "Python's `random` beyond `randint`, `uniform` and `randrange`"
    gb_ids = (
        "GB0007",
        "GB0297",
    )
    on = (On("call", ("random.*",)),)
    message_template = "`{subject}` uses Python's random generator"
    help_template = "use `random.uniform(0, 1)`, `random.randint`, or generate the number with torch"
    recipes = (
        "equivalents.use_replayed_random",
        "branches.where.where_instead_of_if",
        "loops.random_skip.run_branch_always",
    )
    BREAKS = (
        Example(
            """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if random.random() < 2:  # breaks: GB0007
        y = y * 2
    y = y + 1
    return y * random.choice([1, 2])  # breaks: GB0007
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + random.randint(1, 2) + random.uniform(0, 1) + random.randrange(3)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * random.random()
""",
            """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * random.uniform(0.0, 1.0)
""",
            safe=False,
        ),
    )
