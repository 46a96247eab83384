"""More examples of GBL404, progress-bar."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
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
    Example(
        """\
import torch
from tqdm import tqdm


def f(x: torch.Tensor) -> torch.Tensor:
    bar = tqdm(range(3), disable=True)  # breaks: GB0007
    for step in bar:  # breaks: GB0008
        x = x + step
    return x
""",
        needs=("tqdm",),
    ),
    Example(
        """\
import torch
from tqdm import tqdm

BAR = tqdm(range(3), disable=True)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + sum(BAR)  # breaks: GB0008
""",
        needs=("tqdm",),
    ),
)
CLEAN = (
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
from tqdm import tqdm, trange


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for step in tqdm(range(3), disable=True):
        y = y + step
    for step in tqdm(range(x.shape[0]), desc="one step after the other", disable=True):
        y = y + step
    rows = [i for i in trange(3)]
    return y + sum(rows)
""",
        """\
import torch
from tqdm import tqdm, trange


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for step in (
        range(3) if torch.compiler.is_compiling() else tqdm(range(3), disable=True)
    ):
        y = y + step
    for step in (
        range(x.shape[0])
        if torch.compiler.is_compiling()
        else tqdm(range(x.shape[0]), desc="one step after the other", disable=True)
    ):
        y = y + step
    rows = [i for i in (range(3) if torch.compiler.is_compiling() else trange(3))]
    return y + sum(rows)
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
import contextlib

import torch
from torch import nn
from tqdm.auto import tqdm


class Net(nn.Module):
    def progress_bar(self, total: int) -> tqdm:
        return tqdm(total=total, disable=True)

    def forward(self, x: torch.Tensor, steps: int = 3) -> torch.Tensor:
        # one step after the other
        with (
            contextlib.nullcontext()
            if torch.compiler.is_compiling()
            else self.progress_bar(steps)
        ) as progress_bar:
            for i in range(steps):
                x = x * 2
                if i > 0:
                    # told at the end
                    if progress_bar is not None:
                        progress_bar.update()
        return x
""",
        safe=False,
        choice="progress-bar-in-eager-runs",
    ),
)
