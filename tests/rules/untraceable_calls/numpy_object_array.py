"""More examples of GBL431, numpy-object-array."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    labels = y.numpy().astype(object)  # breaks: GB0250
    return y * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> np.ndarray:
    return x.numpy().astype(np.float64).astype("int32")
""",
    ),
)
