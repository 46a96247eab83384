"""Branches that break, and branches that do not."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    best = x.max(-1)
    if best.values.mean() > 0.5:  # breaks: GB0170
        x = x + 1
    if x.topk(2).indices.sum() > 3:  # breaks: GB0170
        x = x * 2
    if torch.linalg.qr(x).R.sum() > 0:  # breaks: GB0170
        return x
    return x - 1
""",
        "(torch.randn(3, 3),)",
    ),
    Example(
        """\
import torch


class Labelled(torch.Tensor):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).as_subclass(Labelled)
    if y.sum() > 0:  # breaks: GB0170
        return y + 1
    return y
""",
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    n = x[0].item()
    torch._check(n >= 5)
    if n > 6:  # breaks: GB0170
        x = x + 1
    return x
""",
        inputs="(torch.tensor([20, 21]),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if x.dim() == 3:
        return y
    elif y.isnan().any():  # breaks: GB0170
        y = torch.zeros_like(y)
    return y + 1
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y if y.mean() > 0 else -y  # breaks: GB0170
    return z * 2
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("steps", torch.zeros(()))
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(x)
        return self.scaled(y)

    def scaled(self, y: torch.Tensor) -> torch.Tensor:
        if self.steps == 0:  # breaks: GB0170
            return y
        return y / self.steps
""",
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    if x.max() > 1:  # breaks: GB0170
        return x / x.max()
    return x
""",
        raises=True,
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile(dynamic=True)
def f(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:  # breaks: GB0170
        return x * 2
    return x
""",
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    chosen = x[x > 0]
    if chosen.shape[0] > 2:  # breaks: GB0170
        return chosen.mean()
    return x.mean()
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    n, m = x.tolist()
    torch._check(n >= 5)
    torch._check(m >= 0)
    if n > 3 and n + m >= 5 and not n == 3:
        x = x + 1
    if n + 1 > n and n + m == m + n and -n == -1 * n:
        x = x + 2
    if ((n + 10) * (n + 10)) % (n + 10) == 0:
        x = x + 3
    return x
""",
        inputs="(torch.tensor([20, 21]),)",
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    n = x[0].item()
    torch._check_is_size(n)
    row = torch.arange(n)
    rows = row.shape[0]
    if row.size(0) == n and not rows > n and n >= 0:
        x = x + 1
    found = x.nonzero()
    return x + 1 if found.shape[0] >= 0 else x
""",
        inputs="(torch.tensor([20, 21]),)",
    ),
    Example(
        """\
import torch


def shown(x: torch.Tensor, wanted: str, **kwargs: object) -> torch.Tensor:
    return x + 1 if kwargs.get(wanted, False) else x


def f(x: torch.Tensor, wanted: str) -> torch.Tensor:
    return shown(x * 2, f"output_{wanted}", mask=x)
""",
        inputs='(torch.randn(4), "states")',
    ),
    Example(
        """\
import enum

import torch


class Kind(enum.Enum):
    A = 0
    B = 1


def f(x: torch.Tensor, kind: torch.Tensor) -> torch.Tensor:
    if kind == Kind.A:
        return x + 1
    return x - 1 if kind != Kind.B else x
""",
        "(torch.randn(4), torch.tensor(True))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    if mask is not None:
        x = x * mask
    if x is not None and isinstance(x, torch.Tensor) and torch.is_tensor(x):
        return x + 1
    return x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] > 2 and x.dtype == torch.float32 and x.device.type == "cpu" and len(x) and x.dim():
        return x + 1
    return x - 1
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x.sum() > 0, x + 1, x - 1)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda t: t + 1, lambda t: t - 1, (x,))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling() and x.isnan().any():
        raise ValueError("not a number")
    return x + 1
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, scale: float = 2.0) -> None:
        super().__init__()
        self.scale = scale
        self.bias = None
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            x = self.linear(x)
        if self.scale > 1 and self.bias is None and self.linear.bias is not None:
            x = x * self.scale
        return x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.where(x.sum() > 0, x * 2, x - 1)
    return torch.nan_to_num(y).clamp(max=10)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, double: bool = True) -> torch.Tensor:
    if double:
        return x * 2
    return x - 1
""",
    ),
)
