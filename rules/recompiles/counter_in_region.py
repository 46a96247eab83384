"""A counter that the compiled region increments makes Dynamo compile the region at every call.

This is not a graph break. `self.step += 1` reads the number, so Dynamo guards on its value; the next call finds another
value. Integers in modules, objects, classes, dicts and globals do not become symbolic (floats do, after the second
call): after `torch._dynamo.config.recompile_limit` (8) versions the function always runs eagerly.

**Instead** count outside of the region, or make the counter a tensor: `self.register_buffer("step", torch.zeros(()))`
and `self.step += 1`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CounterInRegion(Rule):
    """GBL706."""

    code = "GBL706"
    name = "counter-in-region"
    summary = "an integer in a module, an object or a global that the region increments"
    category = Category.RECOMPILE
    on = (On("recompile", ("counter",)),)
    message_template = "`{expression}` changes a guarded number: compiled again at every call (not a graph break)"
    help_template = "count outside of the region, or in a tensor"
    severity = Severity.INFO
    opt_in = True
    RECOMPILES = (
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.step = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.step += 1  # recompiles
        return self.linear(x)
""",
            calls=("(torch.ones(4),)", "(torch.ones(4),)", "(torch.ones(4),)"),
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
        self.register_buffer("step", torch.zeros(()))
        self.size = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.step += 1
        self.size = x.shape[0]
        count = 0
        for _ in range(3):
            count += 1
        return x * self.step * count
""",
            calls=("(torch.ones(4),)", "(torch.ones(4),)", "(torch.ones(4),)"),
        ),
    )
