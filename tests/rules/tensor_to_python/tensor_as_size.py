"""More examples of GBL106, tensor-as-size."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    x = F.conv1d(x, x, padding=sizes[0])  # breaks: GB0033
    x = F.max_pool1d(x, sizes[1])  # breaks: GB0033
    x = F.softmax(x, sizes[0])  # breaks: GB0033
    return F.group_norm(x, sizes[1])  # breaks: GB0033
""",
        "(torch.randn(2, 2, 8), torch.tensor([1, 2]))",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x.reshape(np.prod(x.shape[:2]), 3)  # breaks: GB0033
    x = x * 2
    return x.view(-1, np.prod(x.shape))  # breaks: GB0033
""",
        "(torch.randn(2, 2, 3),)",
        needs=("numpy",),
    ),
    Example(
        """\
import numpy as np
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hop = np.prod([2, 4])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        padding = len(torch.zeros(self.hop * 2)) * self.hop  # breaks: GB0033
        return F.pad(x, (0, padding))  # breaks: GB0033
""",
        needs=("numpy",),
    ),
    Example(
        """\
import numpy as np
import torch
import torch.nn.functional as F

WIDTH = np.int64(2)


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hop = np.prod([2, 4])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.pad(x, (0, WIDTH * x.shape[0]))  # breaks: GB0033
        x = x + 1
        return F.pad(x, (0, self.hop * 3))  # breaks: GB0033
""",
        needs=("numpy",),
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.k = torch.nn.Parameter(torch.tensor(2), requires_grad=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.topk(x, self.k).values  # breaks: GB0033
""",
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("k", torch.tensor(2, dtype=torch.int32))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.topk(x, self.k).values  # breaks: GB0033
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    x = x + 1
    padding = torch.zeros(sizes.max())  # breaks: GB0033
    return torch.cat([x, padding])
""",
        "(torch.randn(4), torch.tensor([2, 1]))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    x = x + 1
    return x.topk(sizes.sum()).values  # breaks: GB0033
""",
        "(torch.randn(4), torch.tensor([2, 1]))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    order = torch.tensor([1, 0])
    y = x + 1
    return y.permute(*order)  # breaks: GB0033
""",
        "(torch.randn(4, 3),)",
    ),
)
CLEAN = (
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x.reshape(-1, np.prod(x.shape[-1:]))
    return x.view(np.max((x.shape[0],)), np.prod([3]))
""",
        "(torch.randn(2, 2, 3),)",
        needs=("numpy",),
    ),
    Example(
        """\
import numpy as np
import torch
import torch.nn.functional as F

WIDTH = np.int64(2)


def f(x: torch.Tensor) -> torch.Tensor:
    return F.pad(x, (0, WIDTH))
""",
        needs=("numpy",),
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("k", torch.tensor(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.topk(x, self.k).values
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return x.topk(n).values
""",
        "(torch.randn(4), torch.tensor(2))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return torch.full((2,), 1.0) * n + torch.linspace(x[0], x[1], 2)
""",
        "(torch.randn(4), torch.tensor([2, 1]))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, low: torch.Tensor) -> torch.Tensor:
    return x.clamp(min=low).roll(1)
""",
        "(torch.randn(4), torch.tensor(0.0))",
    ),
)
FIXES = (
    FixExample(
        """\
import math

import numpy as np
import torch


def f(x: torch.Tensor, size: tuple[int, int]) -> torch.Tensor:
    x = torch.add(x, math.sqrt(2))
    return x.reshape(-1, 2 * np.prod(size))
""",
        """\
import math

import torch


def f(x: torch.Tensor, size: tuple[int, int]) -> torch.Tensor:
    x = torch.add(x, math.sqrt(2))
    return x.reshape(-1, 2 * math.prod(size))
""",
        calls=(
            "(torch.randn(4, 2), (1, 2))",
            "(torch.randn(4, 3, requires_grad=True), (2, 3))",
        ),
        safe=False,
    ),
)
