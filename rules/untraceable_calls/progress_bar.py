"""Dynamo skips `tqdm`: making, updating or looping over a progress bar ends the graph.

A break in a loop cannot be resumed from, so the whole function around the bar runs eagerly.

**Instead**

- compile what one step does, and keep the loop with its bar outside;
- update the bar from what the compiled step returns;
- `contextlib.nullcontext()` in the place of the bar where `torch.compiler.is_compiling()`.

**Does not help**

- `disable=True`: the object is made and asked all the same;
- `torch.compiler.disable` on the loop: it runs eagerly then as well, which is what keeping it outside does.
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
    message_template = "`{expression}` drives a progress bar"
    help_template = "move the bar out of the region: compile the step, not the loop around it"
    recipes = ("printing.without_bar", "printing.with_bar_in_eager_runs")
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
import torch
from tqdm.auto import tqdm


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    bar = tqdm(total=3, disable=True)  # breaks: GB0007
    y = y + 1
    bar.update(1)  # breaks: GB0008
    y = y + 1
    bar.close()  # breaks: GB0008
    return y
""",
            needs=("tqdm",),
        ),
        Example(
            """\
import torch
from tqdm import tqdm


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with tqdm(total=3, disable=True) as bar:  # breaks: GB0007, GB0142
        y = y + 1
    return y
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
        Example(
            """\
import torch


def tqdm(items: range) -> range:
    return items


def f(x: torch.Tensor) -> torch.Tensor:
    for step in tqdm(range(3)):
        x = x + step
    return x
""",
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
        ),
        FixExample(
            """\
import torch
from torch import nn
from tqdm.auto import tqdm


class Net(nn.Module):
    def progress_bar(self, total: int) -> tqdm:
        return tqdm(total=total, disable=True)

    def forward(self, x: torch.Tensor, steps: int = 3) -> torch.Tensor:
        # one step after the other
        with self.progress_bar(steps) as progress_bar:
            for i in range(steps):
                x = x * 2
                if i > 0:
                    # told at the end
                    progress_bar.update()
        return x
""",
            """\
import torch
from torch import nn
from tqdm.auto import tqdm
import contextlib


class Net(nn.Module):
    def progress_bar(self, total: int) -> tqdm:
        return tqdm(total=total, disable=True)

    def forward(self, x: torch.Tensor, steps: int = 3) -> torch.Tensor:
        # one step after the other
        with (contextlib.nullcontext() if torch.compiler.is_compiling() else self.progress_bar(steps)) as progress_bar:
            for i in range(steps):
                x = x * 2
                if i > 0:
                    # told at the end
                    if progress_bar is not None:
                        progress_bar.update()
        return x
""",
            safe=False,
            choice="with-bar-in-eager-runs",
        ),
    )
