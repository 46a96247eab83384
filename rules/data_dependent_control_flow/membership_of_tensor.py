"""`value in x` and `x in values` compare tensors and need the truth value of the result.

**Instead**

- `(x == value).any()` and `torch.isin(x, values)`, which return tensors;
- to find *the same* tensor in a list: `any(item is x for item in items)`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class MembershipOfTensor(Rule):
    """GBL205."""

    code = "GBL205"
    name = "membership-of-tensor"
    summary = "`in` with a tensor"
    gb_ids = ("GB0124", "GB0170")
    on = (On("data-dependent-branch", ("in",)),)
    message_template = "`{expression}` compares tensors to find a value"
    help_template = "use `(x == value).any()` or `torch.isin`, which return tensors"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if 1 in y:  # breaks: GB0124
        y = y + 1
    return y
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] in (4, 8) and x.dtype in (torch.float32, torch.float64) and "cpu" in str(x.device):
        return x + 1
    return x
""",
        ),
    )
