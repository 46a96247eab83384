"""More examples of GBL305, one-hot-classes."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch.nn.functional import one_hot


@torch.compile(fullgraph=True)
def f(labels: torch.Tensor) -> torch.Tensor:
    return one_hot(labels + 1)  # breaks: GB0246
""",
        "(torch.tensor([1, 2]),)",
        raises=True,
    ),
    Example(
        """\
import torch
import torch.nn.functional as F

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    labels = (x > 0).long()
    return F.one_hot(labels) * 2  # breaks: GB0246
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(labels: torch.Tensor) -> torch.Tensor:
    return (labels[:, None] == torch.arange(5)).long()
""",
        "(torch.tensor([1, 2]),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    labels = (x > 0).long()
    return (labels[:, None] == torch.arange(3)).float()
""",
    ),
)
