"""`int` and `float` of a `decimal.Decimal` recurse without end in a compiled region.

The class is implemented in C. Dynamo evaluates its `__int__` by calling `int` again, and the call of the compiled
function raises `RecursionError` (as an internal error), with or without `fullgraph=True`. `fractions.Fraction` works.

**Instead** convert outside: keep a plain number in the module or pass it in.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class NumberOfDecimal(Rule):
    """GBL826."""

    code = "GBL826"
    name = "number-of-decimal"
    summary = "`int` or `float` of a `Decimal`"
    category = Category.COMPILE_ERROR
    on = (On("compile-error", ("decimal-number",)),)
    message_template = "`{expression}` converts a `Decimal` to a number, and Dynamo raises an error"
    help_template = "convert it outside of the region"
    BREAKS = (
        Example(
            """\
from decimal import Decimal

import torch

RATE = Decimal("0.5")


def f(x: torch.Tensor) -> torch.Tensor:
    return x * float(RATE)  # breaks
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
from decimal import Decimal
from fractions import Fraction

import torch

RATE = float(Decimal("0.5"))
SHARE = Fraction(1, 4)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * RATE * float(SHARE)
""",
        ),
    )
