"""More examples of GBL901, capture-not-set."""

from __future__ import annotations

from gblint.rules.examples import Example

ADVISES = (
    Example(
        """\
import torch


@torch.compile
def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:  # advises
    a = x[x > 0]  # breaks: GB0036
    b = torch.nonzero(x)  # breaks: GB0036
    return a, b, torch.unique(x)  # breaks: GB0036
""",
        instead="""\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


@torch.compile
def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    a = x[x > 0]
    b = torch.nonzero(x)
    return a, b, torch.unique(x)
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    x = x / x.max()
    return x + x.mean()
""",
    ),
)
