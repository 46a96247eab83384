"""More examples of GBL902, unknown-setting."""

from __future__ import annotations

from gblint.rules.examples import Example

ADVISES = (
    Example(
        """\
import torch


@torch.compile
def g(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def f(x: torch.Tensor) -> torch.Tensor:
    with torch._dynamo.config.patch(automatic_dynamic=False):  # advises
        return g(x)
""",
        raises=True,
        instead="""\
import torch


@torch.compile
def g(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def f(x: torch.Tensor) -> torch.Tensor:
    with torch._dynamo.config.patch(automatic_dynamic_shapes=False):
        return g(x)
""",
    ),
)
