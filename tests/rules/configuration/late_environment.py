"""More examples of GBL904, late-environment."""

from __future__ import annotations

from gblint.rules.examples import Example

ADVISES = (
    Example(
        """\
import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1


os.environ["TORCH_COMPILE_DISABLE"] = "1"  # advises
""",
        instead="""\
import torch


@torch.compile(disable=True)
def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
    ),
)
