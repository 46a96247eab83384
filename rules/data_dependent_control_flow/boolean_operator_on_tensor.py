"""`and`, `or`, `not` and chained comparisons need the truth value of a tensor, just as `if` does.

This concerns only the operands that Python tests: `flag and x.sum() > 0`, used as a value, tests only `flag`.

**Instead** use the operators that return tensors: `(a > 0) & (b > 0)`, `|`, `~`, `torch.logical_not`, and `(low < x) &
(x < high)` for the chain.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class BooleanOperatorOnTensor(Rule):
    """GBL204."""

    code = "GBL204"
    name = "boolean-operator-on-tensor"
    summary = "`and`, `or`, `not` or a chained comparison of tensors"
    gb_ids = ("GB0170", "GB0033")
    on = (On("data-dependent-branch", ("and", "or", "not", "compare-chain")),)
    message_template = "`{expression}` needs the truth value of a tensor (`{subject}`)"
    help_template = "use `&`, `|`, `~` or `torch.logical_and` and similar functions, which return tensors"
    recipes = ("constant_folding.math.use_math",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y = x + 1
    z = y.sum() or y.max()  # breaks: GB0170
    return y * 2, z
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return (x > 0) & (x < 1) | ~(x > 5) | torch.logical_not(x)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import numpy as np
import torch


def f(x: torch.Tensor, sizes: tuple[int, int] = (4, 6)) -> torch.Tensor:
    multiple = np.gcd(sizes[0], sizes[1])
    fits = x.shape[0] % multiple == 0 and x.shape[0] > 1
    return x * 2 if fits else x
""",
            """\
import math

import torch


def f(x: torch.Tensor, sizes: tuple[int, int] = (4, 6)) -> torch.Tensor:
    multiple = math.gcd(sizes[0], sizes[1])
    fits = x.shape[0] % multiple == 0 and x.shape[0] > 1
    return x * 2 if fits else x
""",
            calls=("(torch.ones(4),)", "(torch.randn(5, requires_grad=True),)"),
            safe=False,
        ),
    )
