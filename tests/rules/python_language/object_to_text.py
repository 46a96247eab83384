"""More examples of GBL520, object-to-text."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import datetime

import torch

day = datetime.date(2026, 1, 1)


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    name = repr(day)  # breaks: GB2852
    return y * 2, name
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    pairs = zip([1], [2])
    return y * 2, repr(pairs)  # breaks: GB6053
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Layer:
    def __repr__(self) -> str:
        return "Layer"


layer = Layer()


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str]:
    return x * 2, str(layer), repr(layer)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str]:
    return x * 2, repr(list(zip([1], [2]))), str({"a": (1, 2.0)})
""",
    ),
)
