"""A list that outlives the call and grows in the compiled region makes Dynamo compile it at every call.

This is not a graph break. Dynamo guards on the length of a list, so the next call fails the guard and compiles again,
until `torch._dynamo.config.recompile_limit` (8) is reached. The list also keeps all its tensors alive.

**Instead** return the values and append them outside of the region; or write into a preallocated tensor.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class GrowingList(Rule):
    """GBL707."""

    code = "GBL707"
    name = "growing-list"
    summary = "a list in a module or a global that the region appends to"
    category = Category.RECOMPILE
    on = (On("recompile", ("growing-list",)),)
    message_template = "`{expression}` makes a guarded list longer: compiled again at every call (not a graph break)"
    help_template = "return the value and append outside of the region"
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
        self.history: list[torch.Tensor] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        self.history.append(y)  # recompiles
        return y + 1
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
        self.features: list[torch.Tensor] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.features = []
        self.features.append(x * 2)
        outputs = []
        for _ in range(3):
            outputs.append(x)
        return torch.stack(outputs).sum() + self.features[0]
""",
            calls=("(torch.ones(4),)", "(torch.ones(4),)", "(torch.ones(4),)"),
        ),
    )
