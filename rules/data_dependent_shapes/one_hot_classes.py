"""`F.one_hot(x)` takes the number of classes from the largest value in `x`.

It breaks with any setting, and raises under `fullgraph=True`.

**Instead**

- pass `num_classes=`;
- compare with the classes: `(labels[:, None] == torch.arange(n)).float()`.

**Does not help**

- `capture_dynamic_output_shape_ops = True`: this operator reads the values before it computes its shape.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class OneHotClasses(Rule):
    """GBL305."""

    code = "GBL305"
    name = "one-hot-classes"
    summary = "`F.one_hot` without `num_classes`"
    gb_ids = ("GB0246",)
    on = (
        On("dynamic-shape", ("torch.nn.functional.one_hot", "torch._C._nn.one_hot")),
        On("call", ("torch.nn.functional.one_hot", "torch._C._nn.one_hot")),
    )
    message_template = "`{expression}` reads the number of classes from the data"
    help_template = "pass `num_classes=`"
    BREAKS = (
        Example(
            """\
import torch
import torch.nn.functional as F


def f(labels: torch.Tensor) -> torch.Tensor:
    return F.one_hot(labels + 1)  # breaks: GB0246
""",
            "(torch.tensor([1, 2]),)",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
import torch.nn.functional as F


def f(labels: torch.Tensor) -> torch.Tensor:
    return F.one_hot(labels, 5) + F.one_hot(labels, num_classes=5)
""",
            "(torch.tensor([1, 2]),)",
        ),
    )
