"""More examples of GBL462, heap-and-bisect."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import bisect

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    place = bisect.bisect_left([1, 4, 9], x.shape[0])  # breaks: GB0007
    return y * place
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    sizes = sorted([3, 1, x.shape[0]], reverse=True)
    place = sum(1 for size in (1, 4, 9) if size < x.shape[0])
    return x * sizes[0] + min(sizes) + place
""",
    ),
    Example(
        """\
import bisect

import torch

PLACE = bisect.bisect([1, 4, 9], 5)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * PLACE
""",
    ),
)
FIXES = (
    FixExample(
        """\
import bisect

import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor, limits: torch.Tensor) -> torch.Tensor:
    place = min(bisect.bisect(limits.tolist(), x[0]), len(limits) - 1)
    return x * limits[place]
""",
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor, limits: torch.Tensor) -> torch.Tensor:
    place = min(torch.searchsorted(limits, x[0], right=True).item(), len(limits) - 1)
    return x * limits[place]
""",
        calls=("(torch.randn(4), torch.arange(5.0))", "(torch.ones(2), torch.arange(3.0))"),
        safe=False,
    ),
)
