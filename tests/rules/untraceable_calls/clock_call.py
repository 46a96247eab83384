"""More examples of GBL408, clock-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
from datetime import datetime

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, datetime]:
    y = x + 1
    now = datetime.now()  # breaks: GB0156
    return y * 2, now
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def time(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor, timesteps: int = 2) -> torch.Tensor:
    return time(x) * timesteps
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    with torch.profiler.record_function("step"):
        y = x + 1
    return y * 2
""",
    ),
)
