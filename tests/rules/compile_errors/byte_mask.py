"""More examples of GBL823, byte-mask."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    mask = (x > 0).to(torch.uint8)
    return torch.where(mask, x, -x)  # breaks: GB4315
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    pixels = (x.abs() * 255).to(torch.uint8)
    return pixels[1:] + pixels[:-1]
""",
    ),
)
