"""`torch.compiler.allow_in_graph` has no effect on a method: Dynamo traces into it.

Dynamo looks for the mark on a function object that is called, but not when it calls a method.

**Instead** put the body into a function at the top of the module and mark that, or mark the method
`torch._dynamo.nonstrict_trace`, which works on methods, or make it a custom operator.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class AllowInGraphOnMethod(Rule):
    """GBL911."""

    code = "GBL911"
    name = "allow-in-graph-on-method"
    summary = "`allow_in_graph` on a method"
    category = Category.CONFIG
    on = (On("config", ("mark-on-method",)),)
    message_template = "`{expression}` has no effect on a method: Dynamo traces into the method"
    help_template = "mark a function outside of the class, or use `nonstrict_trace`"
    ADVISES = (
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.shown(x) + 1

    @torch.compiler.allow_in_graph
    def shown(self, x: torch.Tensor) -> torch.Tensor:  # advises
        print("shown")  # breaks: GB0059
        return x * 2
""",
            instead="""\
import torch
from torch import nn


@torch.compiler.allow_in_graph
def shown(x: torch.Tensor) -> torch.Tensor:
    print("shown")
    return x * 2


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return shown(x) + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.shown(x) + 1

    @torch._dynamo.nonstrict_trace
    def shown(self, x: torch.Tensor) -> torch.Tensor:
        print("shown")
        return x * 2
""",
        ),
    )
