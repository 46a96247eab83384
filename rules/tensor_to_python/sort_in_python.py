"""`sorted(x)` of a tensor, or with keys that are tensors, compares values in Python.

Each comparison needs the truth value of a tensor.

**Instead**

- `torch.sort` or `torch.argsort`, and gather with the indices;
- sort tensors by their shapes: `sorted(items, key=lambda t: t.shape[0])` is decided while tracing.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class SortInPython(Rule):
    """GBL110."""

    code = "GBL110"
    name = "sort-in-python"
    summary = "`sorted()` over tensors"
    gb_ids = ("GB0059", "GB0207")
    on = (On("tensor-to-python", ("sorted",)),)
    message_template = "`{expression}` sorts tensors in Python"
    help_template = "use `torch.sort` or `torch.argsort`"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> list[torch.Tensor]:
    x = x + 1
    return sorted(x)  # breaks: GB0059
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.sort(x).values
""",
        ),
    )
