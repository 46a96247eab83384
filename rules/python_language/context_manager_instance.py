"""A context manager that was created outside the region cannot be entered inside it.

It may be a global, an argument or an attribute of `self`: even `torch.no_grad()` breaks if it was created outside and
stored in a variable. An object of a class that was created before a graph break and is entered after it breaks
the graph as well.

**Instead**

- create it in the `with` statement;
- a function that returns a new one each time: `def guard(): return torch.no_grad()`;
- enter it around the compiled call.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class ContextManagerInstance(Rule):
    """GBL504."""

    code = "GBL504"
    name = "context-manager-instance"
    summary = "entering a context manager that was created outside the region"
    gb_ids = ("GB0142",)
    on = (On("context-manager", ("instance", "made-before-break")),)
    message_template = "`{expression}` was created outside the region, but is entered inside it"
    help_template = "create it where it is entered: `with torch.no_grad():`"
    wording = (
        (
            "made-before-break",
            "`{expression}` was created before a graph break, but is entered after it",
            "create it where it is entered, or remove the break before it",
        ),
    )
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch

quiet = torch.no_grad()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with quiet:  # breaks: GB0142
        y = y * 2
    return y
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    quiet = torch.no_grad()
    with quiet:
        y = x * 2
    return y
""",
        ),
    )
