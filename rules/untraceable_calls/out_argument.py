"""`out=` breaks the graph if the tensor must be resized, or is not contiguous.

Eager PyTorch resizes `torch.empty(0)`, and supports any strides. In a graph the tensor must already have the shape of
the result, and must be contiguous; a transposed tensor is not.

**Instead** omit `out=`: inside a region it saves nothing, because the compiler plans the memory. If the caller needs
the buffer, allocate it with the right shape, or use `buffer.copy_(result)`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class OutArgument(Rule):
    """GBL423."""

    code = "GBL423"
    name = "out-argument"
    summary = "`out=` with a tensor of another shape, or one that is not contiguous"
    gb_ids = (
        "GB0240",
        "GB0241",
        "GB0242",
        "GB0247",
    )
    on = (On("out-argument"),)
    message_template = "the tensor passed as `out=` cannot hold the result ({name})"
    help_template = "omit `out=`, or pass a contiguous tensor of the right shape"
    wording = (
        (
            "shape",
            "the tensor passed as `out=` is empty and must be resized",
            "omit `out=`: the compiler plans the memory itself",
        ),
        (
            "other-rank",
            "the tensor passed as `out=` has another number of dimensions than the result",
            "omit `out=`: the compiler plans the memory itself",
        ),
        ("strides", "the tensor passed as `out=` is not contiguous", "omit `out=`, or copy the result into the tensor"),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(0)
    torch.add(x, 1, out=out)  # breaks: GB0247
    return out * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    torch.add(x, 1, out=out)
    return out * 2
""",
        ),
    )
