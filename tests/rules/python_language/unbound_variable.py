"""More examples of GBL522, unbound-variable."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch

SCALED = False


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        if SCALED:
            scale = 2
        return y * scale  # breaks: GB0011
    except UnboundLocalError:
        return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch

SCALED = False


def f(x: torch.Tensor) -> torch.Tensor:
    scale = 1
    try:
        if SCALED:
            scale = 2
        return x * scale
    except UnboundLocalError:
        return x
""",
    ),
    Example(
        """\
import torch

SCALED = True


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        if SCALED:
            scale = 2
        return x * scale
    except UnboundLocalError:
        return x
""",
    ),
)
