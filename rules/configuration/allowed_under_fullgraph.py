"""`error_on_graph_break(False)` allows nothing inside a region that is compiled with `fullgraph=True`.

`fullgraph=True` raises at every break, whatever is set inside. Only these two can be nested:
`error_on_graph_break(True)` outside and `error_on_graph_break(False)` inside.

**Instead** drop `fullgraph=True` and mark the function `@torch._dynamo.error_on_graph_break(True)`; note that scalars
and dynamic shapes are then no longer captured unless the settings say so.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class AllowedUnderFullgraph(Rule):
    """GBL906."""

    code = "GBL906"
    name = "allowed-under-fullgraph"
    summary = "`error_on_graph_break(False)` under `fullgraph=True`"
    category = Category.CONFIG
    on = (On("config", ("error_on_graph_break",)),)
    message_template = "`{expression}` allows no break here: the region is compiled with `fullgraph=True`"
    help_template = "use `error_on_graph_break(True)` in place of `fullgraph=True`"
    ADVISES = (
        Example(
            """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    with torch._dynamo.error_on_graph_break(False):  # advises
        print("here")  # breaks: GB0059
    return x + 1
""",
            raises=True,
            instead="""\
import torch


@torch._dynamo.error_on_graph_break(True)
@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    with torch._dynamo.error_on_graph_break(False):
        print("here")
    return x + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch._dynamo.error_on_graph_break(True)
@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    with torch._dynamo.error_on_graph_break(False):
        return x + 1
""",
        ),
    )
