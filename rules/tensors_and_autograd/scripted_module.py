"""A module made by `torch.jit.script` or `torch.jit.trace` cannot be traced. A scripted function can.

**Instead**

- compile the original module instead of the scripted one;
- keep the scripted module outside the compiled region;
- a function under `torch.jit.script` becomes part of the graph as a whole, and may stay.

**Does not help**

- `torch.jit.freeze` or `optimize_for_inference` on top: the module is still a scripted one.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ScriptedModule(Rule):
    """GBL611."""

    code = "GBL611"
    name = "scripted-module"
    summary = "calling a module compiled by `torch.jit`"
    gb_ids = ("GB4695",)
    on = (On("module-call", ("torch.jit.*", "torch._C.Script*")),)
    message_template = "`{expression}` calls a module compiled by `torch.jit`"
    help_template = "use the module itself, without `torch.jit.script`"
    BREAKS = (
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.jit.script(nn.Linear(4, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        return self.linear(x) + 1  # breaks: GB4695
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.jit.script
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return double(x) + 1
""",
        ),
    )
