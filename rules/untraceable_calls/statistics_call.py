"""Most of `statistics` uses `itertools.groupby` in a way that Dynamo does not support; `cmath` is written in C.

`statistics.median` and `statistics.fmean` are traced, and so is all of `math` on numbers.

**Instead**

- for tensors: `x.mean()`, `x.std()`, `x.median()`, complex tensors;
- for Python numbers: `sum(values) / len(values)`, `statistics.fmean`, `abs(complex(1, 2))`.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class StatisticsCall(Rule):
    """GBL465."""

    code = "GBL465"
    name = "statistics-call"
    summary = "`statistics` and `cmath`"
    gb_ids = (
        "GB0134",
        "GB0059",
        "GB0007",
    )
    on = (
        On(
            "call",
            (
                "statistics.*",
                "cmath.*",
            ),
        ),
    )
    message_template = "Dynamo cannot trace `{subject}`"
    help_template = "use tensors, or `sum(values) / len(values)`"
    recipes = ("equivalents.compute_mean",)
    BREAKS = (
        Example(
            """\
import statistics

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scale = statistics.mean([1, 2, 3])  # breaks: GB0134
    return y * scale
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import statistics

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    values = [1, 2, 3]
    return x * (sum(values) / len(values)) + statistics.fmean(values) + statistics.median(values)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import statistics

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    sizes = [size for size in x.shape]
    return x * statistics.mean(sizes)
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    sizes = [size for size in x.shape]
    return x * (sum(sizes) / len(sizes))
""",
            calls=(
                "(torch.randn(4),)",
                "(torch.randn(2, 3),)",
            ),
            safe=False,
        ),
    )
