"""`torch._dynamo.graph_break()` ends the graph on purpose.

It is meant for debugging, or to keep a region small. `torch._dynamo.skip_frame()` makes the whole function run eagerly;
`torch._dynamo.step_unsupported()` and `comptime.graph_break()` are for developers of Dynamo.

**Instead** remove it, or put the code that must not be traced into a function marked `torch.compiler.disable`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ExplicitGraphBreak(Rule):
    """GBL801."""

    code = "GBL801"
    name = "explicit-graph-break"
    summary = "`torch._dynamo.graph_break()` and similar calls"
    gb_ids = ("GB0025", "GB0030", "GB4297", "GB4636")
    on = (On("explicit-break"),)
    message_template = "`{expression}` breaks the graph on purpose"
    help_template = "remove it when it is no longer needed"
    wording = (
        (
            "torch.optim.Optimizer.step",
            "the `step` of a torch optimizer breaks the graph on purpose, and is compiled as a separate graph",
            "no change is needed, but do not use `fullgraph=True`, which makes it an error",
        ),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch
from torch._dynamo.comptime import comptime


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    comptime.graph_break()  # breaks: GB0030
    return y * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from torch._dynamo.comptime import comptime


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    comptime.print(y)
    return y * 2
""",
        ),
    )
