"""Frames, stacks and source text are not available while Dynamo traces: `inspect.stack()` ends the graph.

`inspect.signature` and `inspect.isfunction` are traced.

**Instead**

- inspect once, outside the region, and pass the result in;
- `inspect.signature`, `inspect.isfunction` and `inspect.ismethod` are evaluated while tracing, and may stay;
- for debugging only: `if not torch.compiler.is_compiling():` around it.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class Introspection(Rule):
    """GBL413."""

    code = "GBL413"
    name = "introspection"
    summary = "inspecting frames, stacks and source code"
    gb_ids = ("GB0007",)
    on = (
        On(
            "call",
            (
                "inspect.*",
                "traceback.*",
                "sys._getframe",
                "sys._current_frames",
                "linecache.*",
                "dis.*",
                "tracemalloc.*",
                "faulthandler.*",
            ),
        ),
    )
    message_template = "`{name}` inspects frames or source code"
    help_template = "do it outside the region, or pass the name in"
    BREAKS = (
        Example(
            """\
import inspect
import sys

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    caller = len(inspect.stack())  # breaks: GB0007
    y = y + caller
    frame = inspect.currentframe()  # breaks: GB0007
    y = y + 1
    other = sys._getframe()  # breaks: GB0007
    return y, (frame, other)
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import inspect

import torch


def helper(a: int, b: int = 2) -> int:
    return a


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(inspect.signature(helper).parameters) + inspect.isfunction(helper)
""",
        ),
    )
