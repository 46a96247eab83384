"""More examples of GBL550, sequence-of-tensors-compared."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    same = [x] != [x + 1]  # breaks: GB6622
    return x + same
""",
        inputs="(torch.ones(1),)",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if [x.shape, x.dtype] == [y.shape, y.dtype]:
        return x + y
    return x
""",
        inputs="(torch.ones(4), torch.ones(4))",
    ),
)
