"""Files cannot be read, written or looked for in a graph.

This covers `open`, `torch.save`, `torch.load`, `os.path.exists`, `os.listdir`, `os.makedirs`, `Path.exists`, ...
Working on names alone (`os.path.join`, `Path("a") / "b"`) is traced.

**Instead**

- load before the region, or in `__init__` into a buffer (`register_buffer`), and use the tensors;
- save what the compiled call returns;
- work on names alone (`os.path.join`, `Path("a") / "b"`) is traced and may stay.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


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
    said = "`{name}` touches files"
    advice = "read and write outside the region"
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
