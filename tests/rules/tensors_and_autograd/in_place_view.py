"""More examples of GBL606, in-place-view."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    x.t_()  # breaks: GB0148
    return x + y.t()
""",
        "(torch.randn(2, 3),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.Tensor.unsqueeze_(x, 0)  # breaks: GB0072
    return y + x
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.unsqueeze(0).transpose(0, 1).detach().add_(1)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.Tensor.unsqueeze_(y, 0)
    return y + torch.Tensor.unsqueeze(x, 0)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x.unsqueeze(0)
    return x.t() * 2
""",
    ),
)
