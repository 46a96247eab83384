"""More examples of GBL702, changing-number."""

from __future__ import annotations

from gblint.rules.examples import Example

RECOMPILES = (
    Example(
        """\
import torch


def scale(x: torch.Tensor, rate: float) -> torch.Tensor:
    return torch.nn.functional.dropout(x, rate)


compiled = torch.compile(scale)


def f(x: torch.Tensor) -> torch.Tensor:
    return compiled(x, 0.25) + compiled(x, 0.5)  # recompiles
""",
        calls=("(torch.ones(4),)",),
    ),
)
CLEAN = (
    Example(
        """\
import torch


@torch.compile
def step(x: torch.Tensor, index: int, factor: float = 2.0) -> torch.Tensor:
    return x * factor


def f(x: torch.Tensor) -> torch.Tensor:
    for index in range(4):
        x = step(x, index)
    return step(x, 9, 2.0)
""",
        calls=("(torch.ones(4),)",),
    ),
    Example(
        """\
import torch


@torch.compile(dynamic=True)
def step(x: torch.Tensor, index: int) -> torch.Tensor:
    return x + index


def f(x: torch.Tensor) -> torch.Tensor:
    return step(step(x, 3), 4)
""",
        calls=("(torch.ones(4),)",),
    ),
)
