"""More examples of GBL420, check-message."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def message() -> str:
    return "too short"


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._check(x.shape[0] > 1, message)  # breaks: GB9840
    return y * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    torch._check_value(x.shape[0] > 1, "too short")  # breaks: GB9840
    return x + 1
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    torch._check(n > 1, lambda: f"{n} rows are too few")
    return x + 1
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, least: int = 2) -> torch.Tensor:
    torch._check(x.shape[0] >= least)
    torch._check_is_size(x.shape[0], "rows")
    return x + 1
""",
    ),
)
