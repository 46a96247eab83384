"""`torch.compile` returns a compiled callable; it changes nothing in place.

`torch.compile(model)` on a line of its own, or a result in a variable that is never used again, leaves the program
running eagerly, without a warning.

**Instead** keep the result and call it: `model = torch.compile(model)`; or compile in place with `model.compile()`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CompileResultUnused(Rule):
    """GBL831."""

    code = "GBL831"
    name = "compile-result-unused"
    summary = "a `torch.compile(...)` whose result is not used"
    category = Category.CONFIG
    on = (On("config", ("result-unused",)),)
    message_template = "the result of `torch.compile` is not used, so nothing is compiled"
    help_template = "keep the result and call it, or use `module.compile()`"
    ADVISES = (
        Example(
            """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
torch.compile(model)  # advises


def f(x: torch.Tensor) -> torch.Tensor:
    return model(x)
""",
            instead="""\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
model.compile()


def f(x: torch.Tensor) -> torch.Tensor:
    return model(x)
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
model.forward = torch.compile(model.forward)


def f(x: torch.Tensor) -> torch.Tensor:
    return model(x)
""",
        ),
    )
