"""`out=` breaks the graph where the tensor has to be resized, or is not contiguous.

Eager PyTorch resizes `torch.empty(0)`, and writes through any strides. In a graph the tensor has to have the shape
of the result already, and to be contiguous; a transposed one is not.

**Instead** omit `out=`: inside a region it saves nothing, because the compiler plans the memory. If the caller owns the
buffer, allocate it with the right shape, or use `buffer.copy_(result)`.
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
    message_template = "`out=` is given a tensor that cannot hold the result as it is ({name})"
    help_template = "leave `out=` out, or give it a contiguous tensor of the right shape"
    wording = (
        (
            "shape",
            "`out=` is given an empty tensor, which has to be resized",
            "leave `out=` out: the compiler plans the memory itself",
        ),
        ("strides", "`out=` is given a tensor that is not contiguous", "leave `out=` out, or copy the result into it"),
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
