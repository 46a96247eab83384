"""More examples of GBL303, unique-shape."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

CLEAN = (
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.unique(x)
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.unique(x) + 1
""",
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.unique(x) + 1
""",
        calls=("(torch.tensor([1.0, 0.0, 1.0]),)",),
        safe=False,
        choice="capture-dynamic-shapes",
    ),
)
