"""Files cannot be read, written or looked for in a graph.

This covers `open`, `torch.save`, `torch.load`, `os.path.exists`, `os.listdir`, `os.makedirs`, `Path.exists`, ...
Working on names alone (`os.path.join`, `Path("a") / "b"`) is traced.

**Instead**

- load before the region, or in `__init__` into a buffer (`register_buffer`), and use the tensors;
- save what the compiled call returns;
- work on names alone (`os.path.join`, `Path("a") / "b"`) is traced and may stay.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class FileAccess(Rule):
    """GBL407."""

    code = "GBL407"
    name = "file-access"
    summary = "files and folders"
    gb_ids = ("GB0007", "GB0059", "GB0156")
    on = (
        On(
            "call",
            (
                "builtins.open",
                "io.*",
                "os.*",
                "os.path.*",
                "posix.*",
                "pathlib.*",
                "shutil.*",
                "glob.*",
                "tempfile.*",
                "torch.save",
                "torch.load",
                "torch.serialization.*",
                "safetensors.*",
                "_io.*",
            ),
        ),
        On("context-manager", ("builtins.open", "tempfile.*", "io.*")),
    )
    message_template = "`{name}` touches files"
    help_template = "read and write outside the region"
    recipes = ("escape_hatches.moved_out", "escape_hatches.recorded")
    BREAKS = (
        Example(
            """\
import os

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if os.path.exists("cache.bin"):  # breaks: GB0007
        y = y + 1
    y = y + 1
    names = os.listdir(".")  # breaks: GB0007
    return y * len(names)
""",
        ),
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
from pathlib import Path

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    name = os.path.join("a", "b.bin")
    stem, ending = os.path.splitext(os.path.basename(name))
    return x + len(stem) + len(ending) + len((Path("a") / "b").name)
""",
        ),
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


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.save(y, "/dev/null")
    return y * 2
""",
            """\
import torch


@torch._dynamo.decorators.leaf_function
def _save(y: torch.Tensor) -> None:
    torch.save(y, "/dev/null")


@_save.register_fake
def _save_fake(y: torch.Tensor) -> None:
    return None


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    _save(y)
    return y * 2
""",
            safe=False,
            choice="recorded",
        ),
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
            choice="moved-out",
            allowed=("GB0098",),
        ),
    )
