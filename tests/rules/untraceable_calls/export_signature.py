"""More examples of GBL428, export-signature."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
import torch.utils._pytree as pytree


class Box:
    def __init__(self, x, function):
        self.x = x
        self.function = function


pytree.register_pytree_node(Box, lambda box: ((box.x,), box.function), lambda xs, function: Box(xs[0], function))


class Scaled(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Box:
        y = x + 1

        def scale(z: torch.Tensor) -> torch.Tensor:
            return y * z

        return Box(y, scale)


def f(x: torch.Tensor) -> object: return torch.export.export(Scaled(), (x,), strict=True)  # breaks: GB4778
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1

    def scale(z: torch.Tensor) -> torch.Tensor:
        return y * z

    return y, scale
""",
    ),
)
