"""More examples of GBL704, changing-type."""

from __future__ import annotations

from gblint.rules.examples import Example

RECOMPILES = (
    Example(
        """\
import torch


@torch.compile
def total(x: torch.Tensor) -> torch.Tensor:
    return x.sum()


def f(x: torch.Tensor) -> torch.Tensor:
    one = total(torch.ones(4))
    return one + total(torch.ones(2, 4))  # recompiles
""",
        calls=("(torch.ones(4),)",),
    ),
)
