"""`torch._dynamo.config.disable = True` turns all compilation off; the program runs eagerly.

This is mostly a leftover of debugging. `torch.compiler.set_stance("force_eager")` at the top of a module does the same.

**Instead** take it out. To run single calls eagerly there is `with torch.compiler.set_stance("force_eager"):`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CompilationDisabled(Rule):
    """GBL905."""

    code = "GBL905"
    name = "compilation-disabled"
    summary = "`torch._dynamo.config.disable = True`"
    category = Category.CONFIG
    on = (On("config", ("disable", "force-eager")),)
    message_template = "`torch._dynamo.config.disable = True` turns all compilation off"
    help_template = "take it out"
    wording = (("force-eager", '`set_stance("force_eager")` turns all compilation off', "put it around single calls"),)
    ADVISES = (
        Example(
            """\
import torch

torch.compiler.set_stance("force_eager")  # advises


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
            instead="""\
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch

torch.compiler.set_stance("default")


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
        ),
    )
