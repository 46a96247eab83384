"""The state of the process (ids, working directory, garbage collector, ...) cannot be read or changed in a graph.

Reading the environment (`os.environ.get`, `os.getenv`) is traced, and guarded; setting it is not.

**Instead**

- read it once, outside the region, and pass it in;
- `os.environ.get(name)` and `os.getenv(name)` are traced, and guarded;
- `gc.collect()`, signals and limits: before or after the compiled call.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class ProcessState(Rule):
    """GBL412."""

    code = "GBL412"
    name = "process-state"
    summary = "the process, its environment and the interpreter"
    gb_ids = ("GB0007",)
    on = (
        On(
            "call",
            (
                "os.getpid",
                "os.getppid",
                "os.getcwd",
                "os.chdir",
                "os.environ.__setitem__",
                "os.environ.*",
                "os.putenv",
                "os.cpu_count",
                "os.kill",
                "os._exit",
                "os.getlogin",
                "os.urandom",
                "os.system",
                "os.popen",
                "sys.*",
                "gc.*",
                "resource.*",
                "psutil.*",
                "platform.*",
                "atexit.*",
                "ctypes.*",
            ),
        ),
    )
    message_template = "`{name}` reads or changes the state of the process"
    help_template = "do it outside the region"
    recipes = ("printing.omit_when_compiling",)
    BREAKS = (
        Example(
            """\
import os

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = y + os.getpid()  # breaks: GB0007
    os.environ["SOME_NAME"] = "1"  # breaks: GB0007
    return y * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import os
import sys

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + len(os.getenv("SOME_NAME", "two")) + sys.version_info.major + len(sys.platform)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import gc

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    gc.collect()
    return y * 2
""",
            """\
import gc

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if not torch.compiler.is_compiling():
        gc.collect()
    return y * 2
""",
            safe=False,
        ),
    )
