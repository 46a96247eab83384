"""The builtins `any`, `all` and `filter` need the truth value of each item, even if it is a tensor.

`sum`, `min` and `max` over tensors are traced (a `key=` for `min` and `max` is not).

**Instead**

- `torch.stack(conditions).any(0)`, `x.gt(0).all()`;
- a mask with `torch.where` for `filter`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ReduceInPython(Rule):
    """GBL206."""

    code = "GBL206"
    name = "reduce-in-python"
    summary = "`any()`, `all()` or `filter()` over tensors"
    gb_ids = ("GB0170",)
    on = (On("data-dependent-branch", ("any", "all", "min", "max", "filter")),)
    message_template = "`{expression}` needs the truth value of each tensor"
    help_template = "stack the conditions and use `torch.any` or `torch.all`"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, bool]:
    y = x + 1
    z = all([y.sum() > 0, y.max() > 1])  # breaks: GB0170
    return y * 2, z
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return (y > 0).all() | (y < 0).any() | torch.stack([y.sum() > 0, y.max() > 1]).all()
""",
        ),
    )
