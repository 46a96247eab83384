"""More examples of GBL518, computed-attribute-name."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


class Record:
    pass


def f(x: torch.Tensor, record: Record) -> torch.Tensor:
    y = x + 1
    setattr(record, f"seen_{y.argmax()}", True)  # breaks: GB0254
    return y * 2
""",
        "(torch.randn(4), Record())",
    ),
    Example(
        """\
from collections import namedtuple

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    Pair = namedtuple("Pair", ["first", "second"], defaults=[y])  # breaks: GB0201
    return Pair(y).second
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Record:
    pass


def f(x: torch.Tensor, record: Record) -> torch.Tensor:
    for index in range(3):
        setattr(record, f"seen_{index}", x + index)
    return x * 2
""",
        "(torch.randn(4), Record())",
    ),
    Example(
        """\
from collections import namedtuple

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    Pair = namedtuple("Pair", ["first", "second"], defaults=[2])
    return Pair(x).first * Pair(x).second
""",
    ),
    Example(
        """\
import torch


scales = torch.tensor([2.0, 1.0, 1.0, 1.0])


def f(x: torch.Tensor) -> torch.Tensor:
    return x * scales.gather(0, x.argmax(keepdim=True))
""",
    ),
)
