"""A quantized tensor cannot enter a graph.

A tensor of dtype `torch.qint8`, `quint8` or `qint32` that was created outside the region (an argument, a buffer, a
global variable) breaks where the compiled code first uses it, and the whole function runs eagerly. A quantized tensor
that is created in the region and not returned is traced.

**Instead** keep integers and the scale in plain tensors and write `(x.to(torch.float32) - zero) * scale`, which
compiles into one kernel; or use torchao, which quantizes that way.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class QuantizedTensor(Rule):
    """GBL645."""

    code = "GBL645"
    name = "quantized-tensor"
    summary = "a quantized tensor from outside the region"
    gb_ids = ("GB0064",)
    on = (On("tensor-layout", ("quantized",)),)
    message_template = "`{expression}` uses a quantized tensor, which cannot enter a graph"
    help_template = "keep integers and scale in plain tensors, or use torchao"
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        weight = torch.quantize_per_tensor(torch.randn(4), 0.1, 0, torch.qint8)
        self.register_buffer("weight", weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        return y * self.weight.dequantize()  # breaks: GB0064
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.quantize_per_tensor(x + 1, 0.1, 0, torch.qint8).dequantize()
""",
        ),
    )
