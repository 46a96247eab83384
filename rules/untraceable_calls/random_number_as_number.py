"""A number that `random` generates in the region can only be combined with tensors.

`random.randint`, `random.uniform` and `random.randrange` are replayed: their results are tensors without dimensions in
the graph. Such a number can be added to tensors, multiplied with them, compared and returned. Code that needs the
number itself ends the graph: arithmetic with other numbers (`1 - p`), a branch, `int(n)`, a slice, an index, a size.

**Instead** compute with tensors from the start (`x - p * x` for `(1 - p) * x`), generate it with torch
(`torch.rand(())`, `torch.randint`, `torch.where` for the branch), or generate it before the region and pass it in.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class RandomNumberAsNumber(Rule):
    """GBL450."""

    code = "GBL450"
    name = "random-number-as-number"
    summary = "computing in Python with a number that `random` generated in the region"
    gb_ids = ("GB0213", "GB0170", "GB0178", "GB4841", "GB0124", "GB0033", "GB0112", "GB0088")
    on = (On("random-number"),)
    message_template = "`{expression}` needs the value of a random number generated in the region"
    help_template = "combine it only with tensors, generate it with torch, or generate it before the region"
    recipes = (
        "branches.where.where_instead_of_if",
        "branches.where.where_instead_of_ternary",
        "loops.random_skip.where_instead_of_continue",
    )
    BREAKS = (
        Example(
            """\
import random

import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    lam = random.uniform(0, 1)
    return lam * x + (1 - lam) * y  # breaks: GB0213
""",
            inputs="(torch.randn(4), torch.randn(4))",
        ),
    )
    CLEAN = (
        Example(
            """\
import random

import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    lam = random.uniform(0, 1)
    return y + lam * (x - y)
""",
            inputs="(torch.randn(4), torch.randn(4))",
        ),
    )
    FIXES = (
        FixExample(
            """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    p = random.uniform(0, 1)
    if p < 0.9:
        x = x + 1
    return x * 2
""",
            """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    p = random.uniform(0, 1)
    x = torch.where(torch.full((), p, dtype=torch.float64) < 0.9, x + 1, x)
    return x * 2
""",
            calls=(
                "(torch.ones(2, 4),)",
                "(torch.randn(3, 4, requires_grad=True),)",
            ),
            safe=False,
        ),
    )
