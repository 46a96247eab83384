"""`torch.compiler.disable` or a similar decorator above `torch.compile` undoes it: nothing is compiled.

`disable` and `torch._dynamo.run` unwrap the compiled function and call the original one; `set_stance("force_eager")` as
a decorator runs every call of it eagerly. No graph is ever made.

**Instead** remove one of the two decorators. To run a compiled function eagerly sometimes, put the single call under
`with torch.compiler.set_stance("force_eager"):`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CompileUndone(Rule):
    """GBL909."""

    code = "GBL909"
    name = "compile-undone"
    summary = "a decorator above `torch.compile` that undoes it"
    category = Category.CONFIG
    on = (On("config", ("compile-undone",)),)
    message_template = "nothing is compiled: `{expression}` above `torch.compile` undoes it"
    help_template = "remove one of the two"
    ADVISES = (
        Example(
            """\
import torch


@torch.compiler.disable  # advises
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


@torch.compiler.set_stance("default")
@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
        ),
    )
