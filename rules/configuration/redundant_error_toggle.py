"""`error_on_graph_break(True)` changes nothing where every break raises anyway.

Under `fullgraph=True` every break raises, and so it does inside another `error_on_graph_break(True)`. The inner mark
misleads the reader: it looks as if breaks around it were allowed.

**Instead** remove it; or, if only this part has to be free of breaks, keep it and drop `fullgraph=True`, or let the
outer mark cover less code. gblint reports it only if it changes nothing in every region that contains it.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class RedundantErrorToggle(Rule):
    """GBL907."""

    code = "GBL907"
    name = "redundant-error-toggle"
    summary = "`error_on_graph_break(True)` where breaks raise anyway"
    category = Category.CONFIG
    on = (On("config", ("raises-under-fullgraph", "raises-twice")),)
    message_template = "`{expression}(True)` changes nothing: it is inside another one"
    help_template = "remove it, or make the outer one cover less code"
    wording = (
        (
            "raises-under-fullgraph",
            "`{expression}(True)` changes nothing: every break raises under `fullgraph=True`",
            "remove it, or drop `fullgraph=True` if only this part must be free of breaks",
        ),
    )
    ADVISES = (
        Example(
            """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    with torch._dynamo.error_on_graph_break(True):  # advises
        y = x * 2
    print("half way")  # breaks: GB0059
    return y + 1
""",
            raises=True,
            instead="""\
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    with torch._dynamo.error_on_graph_break(True):
        y = x * 2
    print("half way")
    return y + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch._dynamo.error_on_graph_break(True)
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    with torch._dynamo.error_on_graph_break(False):
        return double(x) + 1
""",
        ),
    )
