"""More examples of GBL204, boolean-operator-on-tensor."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, bool]:
    y = x + 1
    z = not y.sum()  # breaks: GB0033
    return y * 2, z
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y = x + 1
    z = 0 < y.sum() < 5  # breaks: GB0170
    return y * 2, z
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, scale: float = 2.0) -> tuple[torch.Tensor, float]:
    y = x + 1
    z = y.sum() and scale  # breaks: GB0170
    return y * 2, z
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor, flag: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    y = x + 1
    z = flag and y.sum() > 0
    return y, z
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    mask = None
    bias = mask or 0.5
    if not x.shape[0] or not 0 < x.dim() < 3:
        return x
    return x + bias
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    scale = None or x.shape[0]
    return x * scale if mask is None or x is mask else x
""",
    ),
)
