"""`x.unsqueeze_(0)`, `x.t_()`, `x.detach_()` and the other in-place views break when `x` is an input of the graph.

They are traced on a tensor computed in the region.

**Instead**

- the form without the underscore: `x = x.unsqueeze(0)`, which copies nothing either;
- do it to the input before the compiled call.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import OUTSIDE, On, Rule


class InPlaceView(Rule):
    """GBL606."""

    code = "GBL606"
    name = "in-place-view"
    summary = "an in-place view of an input"
    gb_ids = (
        "GB0148",
        "GB0072",
    )
    on = (
        On(
            "tensor-method",
            (
                "unsqueeze_",
                "squeeze_",
                "t_",
                "transpose_",
                "swapaxes_",
                "swapdims_",
                "as_strided_",
                "detach_",
            ),
        ),
    )
    message_template = "`{expression}` changes the shape or history of an input in place"
    help_template = "use the form without the underscore"
    escape_hatches = OUTSIDE
    recipes = ("equivalents.out_of_place",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x.unsqueeze_(0)  # breaks: GB0148
    return x + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.unsqueeze_(0)
    y.squeeze_(0)
    y.t_()
    return y
""",
            "(torch.randn(2, 3),)",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.ones(2, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        table = self.table
        table.t_()  # rows are columns
        return x @ table
""",
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.ones(2, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        table = self.table
        table = table.t()  # rows are columns
        return x @ table
""",
            calls=("(torch.randn(4, 3),)",),
            safe=False,
        ),
    )
