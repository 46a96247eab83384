"""Dynamo skips `tqdm`: creating, updating or looping over a progress bar ends the graph.

Dynamo cannot resume inside a loop, so the whole function around the bar runs eagerly.

**Instead**

- compile one step, and keep the loop with its bar outside;
- update the bar with the results of the compiled step;
- `contextlib.nullcontext()` instead of the bar if `torch.compiler.is_compiling()`.

**Does not help**

- `disable=True`: the object is created and updated in any case;
- `torch.compiler.disable` on the loop: then the loop runs eagerly too, as it does outside of the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class ProgressBar(Rule):
    """GBL404."""

    code = "GBL404"
    name = "progress-bar"
    summary = "a progress bar"
    gb_ids = ("GB0007", "GB0008")
    on = (
        On("call", ("tqdm.*", "rich.progress.*")),
        On("context-manager", ("tqdm.*", "rich.progress.*")),
        On("iterator", ("tqdm.*", "rich.progress.*")),
        On("skipped-function", ("tqdm.*", "rich.progress.*")),
    )
    message_template = "`{expression}` uses a progress bar"
    help_template = "move the bar out of the region: compile the step, not the loop around it"
    recipes = (
        "printing.loop_with_bar_in_eager_runs",
        "printing.remove_progress_bar",
        "printing.progress_bar_in_eager_runs",
    )
    BREAKS = (
        Example(
            """\
import torch
from tqdm import tqdm


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for step in tqdm(range(3), disable=True):  # breaks: GB0007, GB0008
        y = y + step
    return y
""",
            needs=("tqdm",),
        ),
        Example(
            """\
from collections.abc import Callable

import torch
from tqdm import tqdm


def step(x: torch.Tensor, callback: Callable[[], object]) -> torch.Tensor:
    callback()  # breaks: GB0007
    return x + 1


def f(x: torch.Tensor) -> torch.Tensor:
    with tqdm(total=3, disable=True) as bar:  # breaks: GB0007, GB0142
        return step(x, bar.update)
""",
            needs=("tqdm",),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from tqdm import tqdm


@torch.compile
def step(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    for _ in tqdm(range(3), disable=True):
        x = step(x)
    return x
""",
            needs=("tqdm",),
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch
from tqdm import tqdm


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for step in tqdm(range(3), desc="steps", disable=True):
        y = y + step
    return y
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for step in range(3):
        y = y + step
    return y
""",
            safe=False,
            choice="remove-progress-bar",
        ),
    )
