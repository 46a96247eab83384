"""More examples of GBL818, no-grad-before-break."""

from __future__ import annotations

from gblint.rules.examples import Example

DIVERGES = (
    Example(
        """\
import contextlib
import torch


@torch.compile
def scaled(x: torch.Tensor, train: bool) -> torch.Tensor:
    mode = contextlib.nullcontext() if train else torch.no_grad()
    torch._dynamo.graph_break()  # breaks: GB0025
    with mode:  # diverges
        factor = x.mean()
    return x * factor


def f(x: torch.Tensor) -> bool:
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        return [scaled(x, True).requires_grad, scaled(x, False).requires_grad]
""",
        others=("GBL801",),
    ),
)
