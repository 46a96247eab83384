"""An argument that is None at one call and a value at another makes Dynamo compile the function twice.

This is not a graph break. Whether an argument is None is guarded on as soon as it is read; the first call of the other
kind fails the guard and compiles again, once. With several such arguments the versions multiply, up to
`torch._dynamo.config.recompile_limit` (8), after which the function runs eagerly.

**Instead** pass a neutral tensor (zeros, a mask of ones), or compile two functions; or change nothing, if two versions
are acceptable.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class OptionalArgument(Rule):
    """GBL701."""

    code = "GBL701"
    name = "optional-argument"
    summary = "an argument that is None in some calls and a value in others"
    category = Category.RECOMPILE
    on = (On("recompile", ("optional",)),)
    message_template = (
        "`{expression}` is None in some calls and not in others: compiled once for each case (not a graph break)"
    )
    help_template = "pass a neutral tensor, or accept two versions"
    severity = Severity.INFO
    opt_in = True
    RECOMPILES = (
        Example(
            """\
import torch


@torch.compile
def attend(x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    y = x * 2
    return y if mask is None else y + mask


def f(x: torch.Tensor) -> torch.Tensor:
    y = attend(x)
    return attend(y, x)  # recompiles
""",
            calls=("(torch.ones(4),)",),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compile
def attend(x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    y = x * 2
    return y if mask is None else y + mask


def f(x: torch.Tensor) -> torch.Tensor:
    y = attend(x, torch.zeros(4))
    return attend(y, x)
""",
            calls=("(torch.ones(4),)", "(torch.ones(4),)"),
        ),
    )
