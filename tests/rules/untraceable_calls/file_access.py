"""More examples of GBL407, file-access."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    handle = open("log.txt", "w")  # breaks: GB0059
    y = y + 1
    handle.write("here")  # breaks: GB0156
    y = y + 1
    handle.close()  # breaks: GB0156
    return y
""",
    ),
    Example(
        """\
import tempfile

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.save(y, "y.pt")  # breaks: GB0007
    y = y + 1
    return y + torch.load("y.pt")  # breaks: GB0007
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with open("log.txt", "w"):  # breaks: GB0059, GB0142
        y = y + 1
    return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import os

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(os.environ.get("SOME_NAME", "two")) + len(os.sep)
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


class Sampler:
    folder = "/dev/null"

    # Each step is kept for a look at it.
    def step(self, x: torch.Tensor, steps: int) -> torch.Tensor:
        for _ in range(steps):
            x = x * 2
            with open(self.folder, "w") as file:
                file.write("a step")
        return x + 1


sampler = Sampler()


def f(x: torch.Tensor) -> torch.Tensor:
    return sampler.step(x + 1, 2)
""",
        """\
import torch


@torch.compiler.disable
def _open(steps: int, x: torch.Tensor, folder: str):
    for _ in range(steps):
        x = x * 2
        with open(folder, "w") as file:
            file.write("a step")
    return x


class Sampler:
    folder = "/dev/null"

    # Each step is kept for a look at it.
    def step(self, x: torch.Tensor, steps: int) -> torch.Tensor:
        x = _open(steps, x, self.folder)
        return x + 1


sampler = Sampler()


def f(x: torch.Tensor) -> torch.Tensor:
    return sampler.step(x + 1, 2)
""",
        safe=False,
        choice="move-out-of-graph",
        allowed=("GB0098",),
    ),
)
