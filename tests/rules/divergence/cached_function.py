"""More examples of GBL816, cached-function."""

from __future__ import annotations

from gblint.rules.examples import Example

DIVERGES = (
    Example(
        """\
import functools

import torch

calls = 0


@functools.cache
def scale(size: int) -> float:
    global calls
    calls += 1
    return size**-0.5


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x * scale(4)  # diverges
    y = y * scale(4)  # diverges
    return y, calls
""",
    ),
)
