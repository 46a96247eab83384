"""The builtins `any`, `all` and `filter` need the truth value of each item, even if it is a tensor.

`sum`, `min` and `max` over tensors are traced (a `key=` for `min` and `max` is not).

**Instead**

- `torch.stack(conditions).any(0)`, `x.gt(0).all()`;
- a mask with `torch.where` for `filter`.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
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
    recipes = ("truths.stack_conditions",)
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
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    tensors = [x, y * 2]
    if any((t > 1).any() for t in tensors):
        x = x + 1
    return x if all([torch.isfinite(x).all(), torch.isfinite(y).all()]) else x * 0
""",
            """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    tensors = [x, y * 2]
    x = torch.where(torch.stack([(t > 1).any() for t in tensors]).any(), x + 1, x)
    return torch.where(
        torch.stack([torch.isfinite(x).all(), torch.isfinite(y).all()]).all(), x, x * 0
    )
""",
            calls=(
                "(torch.ones(3), torch.ones(2))",
                "(torch.zeros(3, requires_grad=True), torch.zeros(2))",
                "(torch.full((2,), torch.nan), torch.full((), torch.inf))",
                "(torch.zeros(0), torch.zeros(1))",
            ),
            safe=False,
        ),
    )
