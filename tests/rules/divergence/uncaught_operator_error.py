"""More examples of GBL814, uncaught-operator-error."""

from __future__ import annotations

from gblint.rules.examples import Example

DIVERGES = (
    Example(
        """\
import torch


def invert(x: torch.Tensor) -> torch.Tensor:
    return torch.linalg.inv(x)


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        y = invert(x)
    except (torch.linalg.LinAlgError, torch.cuda.OutOfMemoryError):  # diverges
        y = torch.linalg.pinv(x)
    return y
""",
        inputs="(torch.zeros(2, 2),)",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch

SCALES = {"a": 1.0}


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        scale = SCALES["b"]
        x = x * scale
    except KeyError:
        x = x + 1
    try:
        if x.dim() != 3:
            raise RuntimeError("flat")
        x = x.transpose(1, 2)
    except RuntimeError:
        x = x * 2
    return x
""",
    ),
    Example(
        """\
import torch


@torch.compile
def solve(x: torch.Tensor) -> torch.Tensor:
    return torch.linalg.cholesky(x)


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        return solve(torch.diag(-x.abs() - 1))
    except RuntimeError:
        return x
""",
    ),
)
