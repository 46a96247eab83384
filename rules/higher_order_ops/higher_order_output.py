"""Functions given to `torch.cond` and similar operators may only return new tensors and integers.

Both branches of `torch.cond` have to return the same structure, with tensors of the same shape and dtype; a float, a
string or `None` raises. The results must be new tensors: returning an argument as it is, a view of one, or one tensor
twice raises as well (only where gradients are off does `torch.cond` allow it). The condition of `while_loop` has to be
a tensor with one boolean; for `scan` it is the next carry and one output. None of this falls back to Python: the
compiled function raises `UncapturedHigherOrderOpError`, with or without `fullgraph=True`.

**Instead**

- `return x.clone()` rather than `return x`, even if the branch does nothing;
- `torch.full_like(x, 1.0)` rather than `1.0`; `torch.zeros_like(x)` rather than `None`;
- if the branches differ in more than values, branch in Python outside of the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class HigherOrderOutput(Rule):
    """GBL621."""

    code = "GBL621"
    name = "higher-order-output"
    summary = "a function given to a higher-order operator returns something that is not allowed"
    gb_ids = (
        "GB0040",
        "GB0308",
        "GB0313",
        "GB0314",
        "GB0318",
        "GB0319",
        "GB0339",
        "GB0340",
        "GB0343",
        "GB0350",
        "GB0301",
        "GB4315",
    )
    on = (On("higher-order", ("output", "branches", "condition", "aliasing")),)
    message_template = "a function given to `{expression}` returns something that a graph cannot hold"
    help_template = "return new tensors (and integers), of the same kinds on every return path"
    wording = (
        (
            "aliasing",
            "a function given to `{expression}` returns an argument, a view of one, or one tensor twice",
            "return `x.clone()` instead",
        ),
        (
            "branches",
            "the branches of `{expression}` return different structures, shapes or dtypes",
            "return tensors of the same shape and dtype from both",
        ),
        (
            "condition",
            "the condition of `{expression}` is not a tensor with one boolean that can change",
            "reduce it: `(x < 10).all()`",
        ),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x, (x,))  # breaks: GB0040
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x.clone(), (x,))
""",
        ),
    )
