"""The time is not known while tracing, so a call that reads the clock ends the graph.

**Instead**

- measure around the compiled call, with `torch.cuda.synchronize()` before the clock is read;
- mark sections with `torch.profiler.record_function("name")`, which is traced;
- a date that is only a label is a constant: create it outside the region.

**Does not help**

- `@torch.compiler.assume_constant_result` on a function that reads the clock: the time of the first call stays in the
  graph.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class ClockCall(Rule):
    """GBL408."""

    code = "GBL408"
    name = "clock-call"
    summary = "reading the clock, or sleeping"
    gb_ids = ("GB0007", "GB0156")
    on = (On("call", ("time.*", "datetime.*", "timeit.*", "torch.cuda.synchronize", "torch.cuda.Event*")),)
    message_template = "`{name}` reads the clock"
    help_template = "measure outside the region (the call returns before a GPU is done anyway), or use torch.profiler"
    wording = (
        ("time.sleep", "`{name}` waits, which cannot be part of a graph", "wait outside the region"),
        ("torch.cuda.synchronize", "`{name}` waits, which cannot be part of a graph", "wait outside the region"),
    )
    recipes = ("printing.omit_when_compiling",)
    BREAKS = (
        Example(
            """\
import time

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, float]:
    start = time.perf_counter()  # breaks: GB0007
    y = x + 1
    end = time.time()  # breaks: GB0007
    return y, end - start
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    with torch.profiler.record_function("double"):
        return x * 2
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import time

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    time.sleep(0.001)
    return y * 2
""",
            """\
import time

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if not torch.compiler.is_compiling():
        time.sleep(0.001)
    return y * 2
""",
            safe=False,
        ),
    )
