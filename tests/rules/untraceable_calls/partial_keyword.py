"""More examples of GBL444, partial-keyword."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
import enum
import functools

import torch


class Option(str, enum.Enum):
    SCALE = "scale"


def grow(value: torch.Tensor, scale: int) -> torch.Tensor:
    return value * scale


def f(x: torch.Tensor) -> torch.Tensor:
    return functools.partial(grow, **{Option.SCALE: 2})(x)
""",
    ),
)
