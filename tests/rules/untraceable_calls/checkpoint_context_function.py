"""More examples of GBL441, checkpoint-context-function."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


def double(value: torch.Tensor) -> torch.Tensor:
    return value * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(double, x, use_reentrant=False)
""",
    ),
)
