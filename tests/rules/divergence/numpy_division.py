"""More examples of GBL819, numpy-division."""

from __future__ import annotations

from gblint.rules.examples import Example

DIVERGES = (
    Example(
        """\
import numpy as np
import torch


def f(pixels: np.ndarray) -> torch.Tensor:
    counts = np.zeros(4, dtype=np.int64) + 1
    return torch.from_numpy(counts / 255) + pixels.shape[0]  # diverges
""",
        inputs="(np.arange(4),)",
    ),
)
