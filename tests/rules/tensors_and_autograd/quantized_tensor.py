"""More examples of GBL645, quantized-tensor."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = 0.1
        self.register_buffer("weight", torch.randint(-128, 127, (4,), dtype=torch.int8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * (self.weight.to(torch.float32) * self.scale)
""",
    ),
)
