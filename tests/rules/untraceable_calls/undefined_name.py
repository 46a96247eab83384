"""More examples of GBL427, undefined-name."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
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


def setup() -> None:
    global offset
    offset = 2


setup()


def f(x: torch.Tensor) -> torch.Tensor:
    return x + offset
""",
    ),
)
