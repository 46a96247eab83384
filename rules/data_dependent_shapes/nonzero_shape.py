"""`torch.nonzero`, `torch.argwhere` and `torch.where(condition)` return as many indices as the data has hits.

By default Dynamo stops at an operator whose output shape depends on the data, runs it, and goes on in a new graph.
With `torch._dynamo.config.capture_dynamic_output_shape_ops = True`, and under `fullgraph=True`, it stays in the graph
with an unbacked size, and only code that branches on that size breaks.

**Instead**

- keep the mask: `torch.where(mask, a, b)` with three arguments, `mask.sum()` for the count, `mask.int().argmax()` for
  the first hit;
- `torch.nonzero_static(x, size=n)` for at most `n` hits;
- `torch._dynamo.config.capture_dynamic_output_shape_ops = True`: the result stays in the graph with an unbacked size.

**Does not help**

- `dynamic=True` or `mark_dynamic`: they are about the sizes of inputs, and this one depends on values.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class NonzeroShape(Rule):
    """GBL301."""

    code = "GBL301"
    name = "nonzero-shape"
    summary = "`nonzero`, `argwhere` or one-argument `where`"
    gb_ids = ("GB0036",)
    on = (
        On(
            "dynamic-shape",
            (
                "torch.nonzero",
                "torch.argwhere",
                "torch.where",
                "torch.Tensor.nonzero",
                "torch.Tensor.argwhere",
                "torch.Tensor.where",
                "numpy.nonzero",
                "numpy.argwhere",
                "numpy.flatnonzero",
                "numpy.where",
                "torch._numpy.*nonzero",
                "torch._numpy.where",
            ),
        ),
    )
    message_template = "`{expression}` returns as many rows as there are non-zero values"
    help_template = (
        "work on the full shape with a mask, or set `torch._dynamo.config.capture_dynamic_output_shape_ops = True`"
    )
    recipes = (
        "nonzero_counts.counted",
        "nonzero_counts.written_through",
        "branches.capture_config.shapes_captured",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    a = torch.nonzero(y)  # breaks: GB0036
    y = y + 1
    b = y.nonzero()  # breaks: GB0036
    y = y + 1
    c = torch.argwhere(y)  # breaks: GB0036
    y = y + 1
    (d,) = torch.where(y > 0)  # breaks: GB0036
    return y, a, b, c, d
""",
        ),
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
    return torch.where(x > 0, x, 0.0) + (x > 0).sum() + (x > 0).int().argmax()
""",
        ),
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
    n = len(x.nonzero())
    m = torch.where(x > 1)[0].shape[0]
    return x / (n + 1) * m
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    n = torch.count_nonzero(x)
    m = torch.count_nonzero(x > 1)
    return x / (n + 1) * m
""",
            calls=("(torch.tensor([1.0, 0.0, 2.0]),)",),
            safe=False,
        ),
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
            choice="written-through",
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
            choice="shapes-captured",
        ),
    )
