"""`y.data = x` cannot be traced if `y` was computed in the region, or if the dtype changes.

Assigning to `.real` or `.imag` can never be traced. `y.data = x` is traced for an input or a parameter, with the same
dtype.

**Instead**

- a new name for the new value, `y = x`;
- `y.copy_(x)`, under `torch.no_grad()` where `y` requires grad;
- `torch.complex(real, imag)` for the two parts.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class TensorDataAssignment(Rule):
    """GBL608."""

    code = "GBL608"
    name = "tensor-data-assignment"
    summary = "assigning to `.data`, `.real` or `.imag` of a tensor made in the region"
    gb_ids = (
        "GB0056",
        "GB0220",
        "GB0058",
    )
    on = (On("tensor-attribute", ("data=", "real=", "imag=")),)
    message_template = "`{expression}` replaces the data of a tensor"
    help_template = "make a new tensor, or use `x.copy_(y)`"
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.data = x  # breaks: GB0056
    return y
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.linear.weight.data = self.linear.weight.data * 2
        return self.linear(x)
""",
        ),
    )
