"""More examples of GBL829, text-of-new-object."""

from __future__ import annotations

from gblint.rules.examples import Example

DIVERGES = (
    Example(
        """\
import torch


class Batch(dict):
    def __str__(self) -> str:
        return f"{len(self)} tensors"


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    batch = Batch(a=1)
    return x * 2, "a batch of {}".format(batch)  # diverges
""",
    ),
)
CLEAN = (
    Example(
        """\
import enum
from typing import NamedTuple

import torch


class Kind(enum.Enum):
    first = 1


class Sizes(NamedTuple):
    height: int


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str]:
    return x * 2, f"{Kind.first} {Sizes(2)} {[1]}", "{} {}".format(Kind.first, {"a": 1})
""",
    ),
)
