"""A module made by `torch.jit.script`, `trace`, `load` or `freeze` cannot be traced. A scripted function can.

**Instead**

- compile the original module instead of the scripted one;
- keep the scripted module outside the compiled region;
- a function under `torch.jit.script` becomes part of the graph as a whole, and may stay.

**Does not help**

- `torch.jit.freeze` or `optimize_for_inference` on top: the module is still a scripted one.

Dynamo refuses a scripted module where it is read, so that the function around it runs eagerly. It goes on after a
call of a traced module.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ScriptedModule(Rule):
    """GBL611."""

    code = "GBL611"
    name = "scripted-module"
    summary = "calling a module compiled by `torch.jit`"
    gb_ids = ("GB4695", "GB0008")
    on = (On("module-call", ("torch.jit.*", "torch._C.Script*")), On("call", ("torch.jit.ScriptModule.*",)))
    message_template = "`{expression}` uses a module compiled by `torch.jit`"
    help_template = "use the module itself, without `torch.jit.script`"
    BREAKS = (
        Example(
            """\
import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        file = io.BytesIO()
        torch.jit.save(torch.jit.script(nn.Linear(4, 4)), file)
        file.seek(0)
        self.linear = torch.jit.load(file).float()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x + 1) + 1  # breaks: GB4695
""",
        ),
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.jit.trace(nn.Linear(4, 4), torch.ones(2, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.linear(x + 1)  # breaks: GB0008
        return self.linear(x + 1) + 1  # breaks: GB0008
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
