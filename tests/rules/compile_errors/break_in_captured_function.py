"""More examples of GBL820, break-in-captured-function."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def shifted(x: torch.Tensor) -> torch.Tensor:
    print("negative")  # breaks: GB0059
    return x - 1


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x + 1, shifted, (x,))
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch


def scaled(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        print("positive")
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, scaled, lambda x: x - 1, (x,))
""",
    ),
)
