"""Files cannot be read, written or searched in a graph.

This covers `open`, `torch.save`, `torch.load`, `os.path.exists`, `os.listdir`, `os.makedirs`, `Path.exists`, ...
Operations on paths alone (`os.path.join`, `Path("a") / "b"`) are traced.

**Instead**

- load before the region, or in `__init__` into a buffer (`register_buffer`), and use the tensors;
- save what the compiled call returns;
- operations on paths alone may stay.
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
    message_template = "`{name}` accesses files or folders"
    help_template = "read and write outside the region"
    recipes = ("escape_hatches.move_out_of_graph", "escape_hatches.call_leaf_function")
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
            choice="call-leaf-function",
        ),
    )
