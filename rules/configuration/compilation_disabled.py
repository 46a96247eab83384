"""`torch._dynamo.config.disable = True` turns all compilation off; the program runs eagerly.

This is often left over from debugging. `torch.compiler.set_stance("force_eager")` at the top of a module does the same.

**Instead** remove it. To run single calls eagerly, use `with torch.compiler.set_stance("force_eager"):`.
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
    help_template = "remove it"
    wording = (
        (
            "force-eager",
            '`set_stance("force_eager")` turns all compilation off',
            "use it in a `with` statement around single calls",
        ),
    )
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
