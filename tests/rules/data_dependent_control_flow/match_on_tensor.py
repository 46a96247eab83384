"""More examples of GBL207, match-on-tensor."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor, mode: str = "double") -> torch.Tensor:
    match mode:
        case "double":
            return x * 2
        case "same" | "none":
            return x + 0
        case _:
            raise ValueError(mode)
""",
    ),
)
