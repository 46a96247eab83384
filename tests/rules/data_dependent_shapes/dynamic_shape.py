"""More examples of GBL306, dynamic-shape."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    a = torch.bincount(y)  # breaks: GB0036
    y = y + 1
    b = torch.bincount(y, minlength=5)  # breaks: GB0036
    y = y + 1
    c = torch.combinations(y)  # breaks: GB0036
    return y, a, b, c
""",
        "(torch.tensor([1, 2]),)",
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.linalg.lstsq(x + 1, x).solution  # breaks: GB0036
""",
        "(torch.randn(3, 2),)",
        raises=True,
    ),
    Example(
        """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor) -> torch.Tensor:
    probabilities = torch.randn(5, 2, 4).log_softmax(2) * x
    targets = torch.randint(1, 4, (2, 3))
    return F.ctc_loss(probabilities, targets, (5, 5), (3, 3))  # breaks: GB0036
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.topk(2).values.sum() + torch.multinomial(x.abs(), 1) + torch.isin(x, x) + torch.histc(x).sum()
""",
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.bincount(x)
""",
        "(torch.tensor([1, 2]),)",
    ),
)
