"""More examples of GBL905, compilation-disabled."""

from __future__ import annotations

from gblint.rules.examples import Example

ADVISES = (
    Example(
        """\
import torch

torch._dynamo.config.disable = True  # advises


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
        instead="""\
import torch

torch._dynamo.config.disable = False


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def debug() -> bool:
    return False


torch._dynamo.config.disable = debug()


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
    ),
)
