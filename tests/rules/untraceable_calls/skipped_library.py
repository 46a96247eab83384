"""More examples of GBL417, skipped-library."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch

torch._dynamo.disallow_in_graph(torch.hypot)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = torch.hypot(y, y)  # breaks: GB0007
    return y * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch

torch._dynamo.disallow_in_graph(torch.logaddexp2)
torch._dynamo.allow_in_graph(torch.logaddexp2)


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.logaddexp2(x, x) + 1
""",
    ),
    Example(
        """\
import textwrap
from fractions import Fraction

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(textwrap.dedent("  a")) + Fraction(1, 2).numerator
""",
    ),
)
