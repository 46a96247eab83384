"""More examples of GBL412, process-state."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import gc
import sys

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    gc.collect()  # breaks: GB0007
    y = y + 1
    return y * sys.getsizeof(3)  # breaks: GB0007
""",
    ),
)
CLEAN = (
    Example(
        """\
import os

import torch

PROCESS = os.getpid()


def f(x: torch.Tensor) -> torch.Tensor:
    return x + PROCESS % 2
""",
    ),
    Example(
        """\
import operator
import sys

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    known = sys.modules.get("operator", operator)
    return known.neg(x)
""",
    ),
)
