"""More examples of GBL703, changing-mode."""

from __future__ import annotations

from gblint.rules.examples import Example

RECOMPILES = (
    Example(
        """\
import torch


@torch.compile
def convert(x: torch.Tensor, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return x.to(dtype) * 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = convert(x)
    return convert(y, dtype=torch.float64)  # recompiles
""",
        calls=("(torch.ones(4),)",),
    ),
)
