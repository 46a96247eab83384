"""More examples of GBL707, growing-list."""

from __future__ import annotations

from gblint.rules.examples import Example

RECOMPILES = (
    Example(
        """\
import torch

log = []


def f(x: torch.Tensor) -> torch.Tensor:
    log.append(x.shape[0])  # recompiles
    return x + 1
""",
        calls=("(torch.ones(4),)", "(torch.ones(4),)", "(torch.ones(4),)"),
    ),
)
