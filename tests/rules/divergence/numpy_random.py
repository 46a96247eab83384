"""More examples of GBL817, numpy-random."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
import numpy as np
import torch


@torch.compile
def jitter(x: torch.Tensor, noise: np.ndarray) -> torch.Tensor:
    return x + torch.from_numpy(noise)


def f(x: torch.Tensor) -> torch.Tensor:
    np.random.seed(0)
    return jitter(x, np.random.normal(size=4))
""",
    ),
)
