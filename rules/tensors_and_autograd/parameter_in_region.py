"""A parameter, or a module that has parameters, cannot be created in the region.

Modules without parameters (`nn.ReLU()`, `nn.Dropout(0.1)`) are traced, and so is a parameter made from an input tensor.
Dynamo also rejects data that is not a tensor, and a tensor as `requires_grad`. With
`torch._dynamo.config.graph_break_on_nn_param_ctor = False` Dynamo creates the parameter outside of the graph. This
works only if its shape is constant and its data is not a tensor subclass.

**Instead** create it in `__init__`, where an optimizer can find it too; for a tensor that is not trained, use
`torch.ones`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class ParameterInRegion(Rule):
    """GBL604."""

    code = "GBL604"
    name = "parameter-in-region"
    summary = "creating a parameter, or a module with parameters, in the region"
    gb_ids = ("GB0264", "GB0226", "GB0237", "GB0227", "GB0235", "GB0244")
    on = (On("construct", ("parameter", "module")),)
    message_template = "`{expression}` creates a parameter while tracing"
    help_template = "create it in `__init__`"
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


class Scaled(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = torch.nn.Parameter(torch.ones(4))  # breaks: GB0244
        return x * weight


def f(x: torch.Tensor) -> object:
    return torch.export.export(Scaled(), (x,), strict=True)
""",
            raises=True,
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
    )
