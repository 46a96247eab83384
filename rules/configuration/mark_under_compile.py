"""`torch.compile` ignores decorators of the compiler directly below it: it compiles the function inside.

`torch.compiler.disable`, `torch._dynamo.run` and another `torch.compile` return a wrapper; `torch.compile` unwraps it.
The function is compiled although it is disabled, and of two `torch.compile` only the options of the outer one count.

**Instead** keep one of them. To keep a part out of the region, move it into a separate function, and mark that
function.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class MarkUnderCompile(Rule):
    """GBL908."""

    code = "GBL908"
    name = "mark-under-compile"
    summary = "a decorator or options directly below `torch.compile`, which have no effect"
    category = Category.CONFIG
    on = (On("config", ("disable-below", "compile-below")),)
    message_template = "`torch.compile` compiles this function in spite of the decorator below it"
    help_template = "remove one of the two"
    wording = (
        (
            "compile-below",
            "this function has two `torch.compile`: only the options of the outer one count",
            "keep one of them, with all the options",
        ),
    )
    ADVISES = (
        Example(
            """\
import torch


@torch.compile
@torch.compiler.disable
def f(x: torch.Tensor) -> torch.Tensor:  # advises
    print(x.shape)  # breaks: GB0059
    return x + 1
""",
            instead="""\
import torch


@torch.compiler.disable
def report(x: torch.Tensor) -> None:
    print(x.shape)


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    report(x)
    return x + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compile
@torch._dynamo.error_on_graph_break(True)
def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
        ),
    )
