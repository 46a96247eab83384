"""More examples of GBL427, undefined-name."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    global shifted
    shifted = x + 1
    return x + shifted  # breaks: GB0354
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + offset  # breaks: GB0354
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch

shifted = None


def f(x: torch.Tensor) -> torch.Tensor:
    global shifted
    shifted = x + 1
    return x + shifted
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    global last
    last = x + 1
    return x + 2
""",
    ),
    Example(
        """\
import torch


def setup() -> None:
    global offset
    offset = 2


setup()


def f(x: torch.Tensor) -> torch.Tensor:
    return x + offset
""",
    ),
)
