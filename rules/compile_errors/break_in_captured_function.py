"""A break inside a function given to `torch.cond` or another higher-order operator raises an error.

A higher-order operator (`torch.cond`, `while_loop`, `scan`, `map`, ...) becomes one node of the graph that holds its
functions as graphs of their own. Such a function cannot run partly in eager mode. The compiled call raises
`UncapturedHigherOrderOpError`, or the error of the operation itself, with or without `fullgraph=True`.

**Instead** move the operation out of the function: print, log and read numbers before or after the operator, and return
the values that are needed for it. Inside the function use `torch._higher_order_ops.print` and `torch.where`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import BreakEvent, Category
from gblint.rules.examples import Example
from gblint.rules.registry import rule_for
from gblint.rules.rule import On, Rule
from gblint.runtime.lazy_dataclasses import replace


class BreakInCapturedFunction(Rule):
    """GBL820."""

    code = "GBL820"
    name = "break-in-captured-function"
    summary = "a break in a function given to `torch.cond` or a similar operator"
    category = Category.COMPILE_ERROR
    on = (On("*", ("*",), frozenset({"hop"})),)
    message_template = (
        "`{expression}` breaks the graph in a function that must be captured whole: the call raises an error"
    )
    help_template = "move it out of the function given to the operator"
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * x.sum().item()  # breaks: GB0124

    def shifted(x: torch.Tensor) -> torch.Tensor:
        return x - 1

    return torch.cond(x.sum() > 0, scaled, shifted, (x,))
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * x.sum()

    def shifted(x: torch.Tensor) -> torch.Tensor:
        return torch.where(x > 1, x - 1, x)

    return torch.cond(x.sum() > 0, scaled, shifted, (x,))
""",
        ),
    )

    def message(self, event: BreakEvent) -> str:
        """Return the message of the rule that the same event has elsewhere, and the consequence here."""
        other = rule_for(replace(event, context=event.context - {"hop"}))
        if other is None:
            return super().message(event)
        return f"{other.message(event)}, in a function that must be captured whole: the call raises"
