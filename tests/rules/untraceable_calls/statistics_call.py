"""More examples of GBL465, statistics-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import statistics

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scale = statistics.mode([1, 2, 2])  # breaks: GB0059
    return y * scale
""",
    ),
    Example(
        """\
import cmath

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    root = cmath.sqrt(-2)  # breaks: GB0007
    return y * root.imag
""",
    ),
)
CLEAN = (
    Example(
        """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return (x - x.mean()) / x.std() * math.sqrt(2) * abs(complex(1, 2))
""",
    ),
    Example(
        """\
import statistics

import torch

SCALE = statistics.stdev([1, 2, 3])


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SCALE
""",
    ),
)
