"""More examples of GBL908, mark-under-compile."""

from __future__ import annotations

from gblint.rules.examples import Example

ADVISES = (
    Example(
        """\
import torch


@torch.compile
@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:  # advises
    print(x.shape)  # breaks: GB0059
    return x + 1
""",
        instead="""\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    print(x.shape)
    return x + 1
""",
    ),
)
