"""More examples of GBL527, import-of-object."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    import math

    return x * math.pi
""",
    ),
)
