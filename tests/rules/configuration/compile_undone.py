"""More examples of GBL909, compile-undone."""

from __future__ import annotations

from gblint.rules.examples import Example

ADVISES = (
    Example(
        """\
import torch


@torch.compiler.set_stance("force_eager")  # advises
@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
        instead="""\
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
    ),
)
