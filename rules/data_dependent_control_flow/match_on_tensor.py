"""`match` on a tensor compares it with each pattern and needs the truth value of the result.

**Instead**

- choose with `torch.where` or `torch.cond`;
- match on a shape, a dtype, a class or a Python value: that is decided while tracing.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class MatchOnTensor(Rule):
    """GBL207."""

    code = "GBL207"
    name = "match-on-tensor"
    summary = "`match` on a tensor"
    gb_ids = ("GB0170",)
    on = (On("data-dependent-branch", ("match",)),)
    message_template = "`case {expression}` compares a tensor"
    help_template = "choose with `torch.where`, or match on something that does not depend on the data"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    match y.argmax():
        case 1:  # breaks: GB0170
            return y
        case _:
            return y + 1
""",
            "(torch.tensor([0.0, 1.0]),)",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    match x.shape[0]:
        case 4:
            return x + 1
        case _:
            return x - 1
""",
        ),
    )
