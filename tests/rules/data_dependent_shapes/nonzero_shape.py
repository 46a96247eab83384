"""More examples of GBL301, nonzero-shape."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    rows = torch.nonzero(x > 0, as_tuple=True)[0]  # breaks: GB0036
    return x[rows]
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy() + 1
    (rows,) = np.nonzero(array)  # breaks: GB0036
    return torch.from_numpy(rows)
""",
    ),
    Example(
        """\
import torch


@torch.compile(dynamic=True)
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.nonzero() * 2  # breaks: GB0036
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.nonzero_static(x, size=2) + torch.count_nonzero(x)
""",
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    return torch.nonzero(x), torch.where(x > 0)
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    mask = x > 0.7
    found = torch.where(mask)
    x[found] = 3
    x[(x == 0).nonzero(as_tuple=True)] = 4.5
    return x
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    mask = x > 0.7
    found = mask
    x[found] = 3
    x[(x == 0)] = 4.5
    return x
""",
        calls=(
            "(torch.tensor([1.0, 0.0, 2.0]),)",
            "(torch.tensor([1.0, 0.0, 0.5]),)",
        ),
        choice="write-through-mask",
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.nonzero() + 1
""",
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x.nonzero() + 1
""",
        calls=("(torch.tensor([1.0, 0.0, 2.0]),)",),
        safe=False,
        choice="capture-dynamic-shapes",
    ),
)
