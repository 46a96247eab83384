"""More examples of GBL609, grad-fn-read."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * 2 if y.requires_grad or y.is_leaf else y
""",
    ),
)
