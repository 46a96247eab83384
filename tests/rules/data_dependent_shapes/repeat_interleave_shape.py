"""More examples of GBL304, repeat-interleave-shape."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    return torch.repeat_interleave(x, counts, output_size=3)
""",
        "(torch.randn(2), torch.tensor([1, 2]))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.repeat(2) + x.expand(2, 4).reshape(-1)
""",
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x.repeat_interleave(torch.tensor([1, 0, 2, 1])) * 2
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    rows = x.reshape(x.shape[0], 1)
    means = rows[: counts.shape[0]]
    return rows * means.repeat_interleave(counts, 0)
""",
        """\
import torch


def f(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    rows = x.reshape(x.shape[0], 1)
    means = rows[: counts.shape[0]]
    return rows * means.repeat_interleave(counts, 0, output_size=rows.shape[0])
""",
        calls=(
            "(torch.randn(5, requires_grad=True), torch.tensor([2, 3]))",
            "(torch.randn(4), torch.tensor([4, 0, 0]))",
        ),
        safe=False,
        choice="take-size-of-operand",
    ),
    FixExample(
        """\
import torch


def first(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    return x[: counts.shape[0]]


def f(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    means = first(x, counts)
    spread = torch.repeat_interleave(means, counts, dim=0)
    x = x - spread
    x += 2 * x.sum()
    x += torch.repeat_interleave(
        means,
        counts,
        dim=-1,
    )
    return x
""",
        """\
import torch


def first(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    return x[: counts.shape[0]]


def f(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    means = first(x, counts)
    spread = torch.repeat_interleave(
        means, counts, dim=0, output_size=x.shape[-means.dim()]
    )
    x = x - spread
    x += 2 * x.sum()
    x += torch.repeat_interleave(
        means,
        counts,
        dim=-1,
        output_size=x.shape[-1],
    )
    return x
""",
        calls=(
            "(torch.randn(5, requires_grad=True), torch.tensor([2, 3]))",
            "(torch.randn(4), torch.tensor([4, 0, 0]))",
        ),
        safe=False,
        choice="take-size-of-operand",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, times: torch.Tensor) -> torch.Tensor:
    return torch.repeat_interleave(x, times) + 1
""",
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor, times: torch.Tensor) -> torch.Tensor:
    return torch.repeat_interleave(x, times) + 1
""",
        calls=("(torch.tensor([1.0, 0.0, 1.0]), torch.tensor([1, 2, 0]))",),
        safe=False,
        choice="capture-dynamic-shapes",
    ),
)
