"""A parameter cannot be made in the region, and so neither can a module that has parameters.

Modules without parameters (`nn.ReLU()`, `nn.Dropout(0.1)`) are fine.

**Instead** make it in `__init__`, where an optimizer can find it too; for a tensor that is not trained use
`torch.ones`.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class ParameterInRegion(Rule):
    """GBL604."""

    code = "GBL604"
    name = "parameter-in-region"
    summary = "making a parameter, or a module with parameters, in the region"
    gb_ids = ("GB0264",)
    on = (On("construct", ("parameter", "module")),)
    said = "`{expression}` makes a parameter while tracing"
    advice = "make it in `__init__`"
    BREAKS = (
        Example(
            """\
import torch
from torch import nn


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    weight = nn.Parameter(torch.ones(4))  # breaks: GB0264
    return y * weight
""",
        ),
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        linear = nn.Linear(4, 4)  # breaks: GB0264
        return linear(x)
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from torch import nn


def f(x: torch.Tensor) -> torch.Tensor:
    return nn.ReLU()(x) + nn.Sequential(nn.Dropout(0.1), nn.Identity())(x) + nn.Softmax(dim=0)(x)
""",
        ),
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x * self.weight
""",
        ),
    )
