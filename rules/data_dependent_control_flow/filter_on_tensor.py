"""If a comprehension has a condition on a tensor, the length of its result depends on data.

**Instead**

- keep everything and mask, with `torch.where` or by multiplying;
- select outside the compiled region;
- conditions on shapes, names or `is None` are decided while tracing, and may stay.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class FilterOnTensor(Rule):
    """GBL208."""

    code = "GBL208"
    name = "filter-on-tensor"
    summary = "a comprehension with a condition on a tensor"
    gb_ids = ("GB0170",)
    on = (On("data-dependent-branch", ("comprehension-if",)),)
    message_template = "`if {expression}` selects items by the values of a tensor"
    help_template = "keep all items and mask with `torch.where`, or select after the compiled region"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    kept = [v for v in y if v > -100]  # breaks: GB0170
    return torch.stack(kept)
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    tensors = [x, None, x * 2]
    kept = [t for t in tensors if t is not None and t.shape[0] > 1]
    return torch.stack(kept)
""",
        ),
    )
