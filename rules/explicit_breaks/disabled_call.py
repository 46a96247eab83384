"""A call to a function marked `torch.compiler.disable` ends the graph: the function runs eagerly.

That is the purpose of the mark. However, if the call is inside a loop, a `try` or a `with`, the whole function around
it runs eagerly.

**Instead** call it outside the region; make it a custom operator (`torch.library.custom_op`) so that it can stay in the
graph; or remove the mark if the reason for it is gone.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class DisabledCall(Rule):
    """GBL802."""

    code = "GBL802"
    name = "disabled-call"
    summary = "a call to a function marked `torch.compiler.disable`"
    gb_ids = ("GB0098", "GB0099")
    on = (On("disabled-call"),)
    message_template = "`{name}` is marked `torch.compiler.disable`"
    help_template = "move the call out of the region, or let the function be traced"
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


@torch.compiler.disable
def report(x: torch.Tensor) -> None:
    print(x.mean())


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    report(y)  # breaks: GB0098
    return y * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compiler.disable
def report(x: torch.Tensor) -> None:
    print(x.mean())


def f(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        report(x)
    return x + 1
""",
        ),
    )
