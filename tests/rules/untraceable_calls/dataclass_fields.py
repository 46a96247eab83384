"""More examples of GBL440, dataclass-fields."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
import dataclasses

import torch


@dataclasses.dataclass
class Config:
    scale: int = 2


NAMES = [field.name for field in dataclasses.fields(Config)]


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(NAMES)
""",
    ),
)
