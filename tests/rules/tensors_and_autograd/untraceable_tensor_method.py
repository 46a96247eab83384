"""More examples of GBL610, untraceable-tensor-method."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = y.to_mkldnn().to_dense()  # breaks: GB0087
    return y * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.is_inference():  # breaks: GB0045
        y = y.clone()
    y = y + 1
    y.uniform_(**{"from": 0.0, "to": 1.0})  # breaks: GB0110
    return y * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x[1:]
    return y + 1 if y._is_view() else y  # breaks: GB0208
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Dice:
    def random_(self) -> int:
        return 4


def f(x: torch.Tensor) -> torch.Tensor:
    return x * Dice().random_()
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    if y.is_complex() or not y.is_floating_point():
        y = y.real
    return y.uniform_(0.0, 1.0)
""",
    ),
)
