"""Whether a tensor requires a gradient is fixed when the graph is traced: it cannot be switched in the region.

This covers `x.requires_grad_()` on an input or a module, `x.requires_grad = True`, and `requires_grad=True` given to a
factory function. A call that changes nothing is traced. `requires_grad_()` on a tensor that the region computes is
traced as long as all tensors made from it stay inside. It breaks if one is returned with its history, or is needed
after another break; under `fullgraph=True` it raises.

**Instead** set it before the compiled call; `x.detach()` gives a tensor without history; `torch.func.grad` takes
gradients inside.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import OUTSIDE, On, Rule


class RequiresGradChange(Rule):
    """GBL602."""

    code = "GBL602"
    name = "requires-grad-change"
    summary = "changing or setting `requires_grad` in the region"
    gb_ids = ("GB0125", "GB0206", "GB0225", "GB8985", "GB7324")
    on = (
        On("tensor-method", ("requires_grad_",)),
        On("tensor-attribute", ("requires_grad=",)),
        On("autograd", ("requires_grad=True",)),
    )
    message_template = "`{expression}` changes `requires_grad` while tracing"
    help_template = "set it outside the region, or use `torch.func.grad`"
    escape_hatches = OUTSIDE
    recipes = (
        "gradients.use_requires_grad_method",
        "gradients.set_in_eager_runs",
        "gradients.require_grad_in_eager_runs",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x.requires_grad_()  # breaks: GB0125
    return x * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.requires_grad:
        x = x.detach()
    return x * 2 + torch.zeros(4, requires_grad=False)
""",
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
        self.register_buffer("grid", torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.grid.requires_grad = False
        return x * self.grid
""",
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("grid", torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.grid.requires_grad_(False)
        return x * self.grid
""",
        ),
    )
