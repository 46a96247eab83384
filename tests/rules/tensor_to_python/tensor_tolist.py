"""More examples of GBL102, tensor-tolist."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    weights = x.softmax(0).tolist()  # breaks: GB0109
    return x * weights[0]
"""
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, sizes: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    return torch.split(y, sizes.tolist())  # breaks: GB0033
""",
        "(torch.randn(4), torch.tensor([1, 3]))",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.reshape(list(x.shape)[::-1])
""",
        "(torch.randn(2, 3),)",
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    numbers = sizes.tolist()
    return x * numbers[0]
""",
        "(torch.randn(4), torch.tensor([1, 3]))",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    total = torch.zeros_like(x)
    for v in (w.reshape(-1) * 2).tolist():
        total = total + x * v
    return total + sum([x * k for k in w.reshape(-1).tolist()])
""",
        """\
import torch


def f(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    total = torch.zeros_like(x)
    for v in (w.reshape(-1) * 2).detach().unbind():
        total = total + x * v
    return total + sum([x * k for k in w.reshape(-1).detach().unbind()])
""",
        calls=(
            "(torch.rand(4), torch.ones(4))",
            "(torch.rand(4), torch.rand(4, requires_grad=True))",
        ),
        safe=False,
        choice="iterate-with-unbind",
    ),
    FixExample(
        """\
import torch


def f(sizes: torch.Tensor) -> tuple[torch.Tensor, ...]:
    x = torch.arange(4.0)
    return torch.split(x, sizes.long().tolist())
""",
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(sizes: torch.Tensor) -> tuple[torch.Tensor, ...]:
    x = torch.arange(4.0)
    return torch.split(x, sizes.long().tolist())
""",
        calls=("(torch.tensor([1, 2, 1]),)",),
        safe=False,
        choice="capture-list-outputs",
    ),
    FixExample(
        """\
import numpy as np
import torch


def positions(lengths: torch.Tensor, width: int) -> np.ndarray:
    rows = len(lengths)
    places = np.zeros((rows, width), dtype=np.float32)
    for row, length in enumerate(lengths.tolist()):
        places[row, :length] = np.linspace(0.0, 1.0, length)
    return places


def f(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    return x + torch.as_tensor(positions(lengths, x.size(1)), dtype=x.dtype)
""",
        """\
import numpy as np
import torch


def positions(lengths: torch.Tensor, width: int) -> np.ndarray:
    rows = len(lengths)
    places = np.zeros((rows, width), dtype=np.float32)
    for row, length in enumerate(lengths.tolist()):
        places[row, :length] = np.linspace(0.0, 1.0, length)
    return places


@torch.library.custom_op(
    "example::positions", mutates_args=(), tags=(torch.Tag.nondeterministic_seeded,)
)
def positions_op(lengths: torch.Tensor, width: int) -> torch.Tensor:
    return torch.as_tensor(positions(lengths, width))


@positions_op.register_fake
def positions_fake(lengths: torch.Tensor, width: int) -> torch.Tensor:
    rows = len(lengths)
    return torch.empty((rows, width), dtype=torch.float32)


def f(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    return x + torch.as_tensor(positions_op(lengths, x.size(1)), dtype=x.dtype)
""",
        calls=("(torch.rand(2, 4), torch.tensor([4, 2]))",),
        safe=False,
        choice="call-as-operator",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.arange(4.0))

    def scores(self, x: torch.Tensor) -> torch.Tensor:
        return (x * self.weight).softmax(0)

    def forward(self, x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        scores = self.scores
        parts = torch.split(x, ends.diff().tolist(), dim=0)
        done = [scores(part) for part in parts]
        y = torch.cat(done)
        return y + 1
""",
        """\
import torch
from torch import nn


@torch._dynamo.decorators.leaf_function
def _net_in_parts(
    module: torch.nn.Module, ends: torch.Tensor, x: torch.Tensor
) -> torch.Tensor:
    scores = module.scores
    parts = torch.split(x, ends.diff().tolist(), dim=0)
    done = [scores(part) for part in parts]
    y = torch.cat(done)
    return y


@_net_in_parts.register_fake
def _net_in_parts_fake(module: torch.nn.Module, ends: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    # The sizes of the parts are not known: this is the result for a single part.
    scores = module.scores
    parts = torch.split(x, [x.size(0)], dim=0)
    done = [scores(part) for part in parts]
    y = torch.cat(done)
    return y


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.arange(4.0))

    def scores(self, x: torch.Tensor) -> torch.Tensor:
        return (x * self.weight).softmax(0)

    def forward(self, x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        scores = self.scores
        y = _net_in_parts(self, ends, x)
        return y + 1
""",
        calls=(
            "(torch.rand(4, 4, requires_grad=True), torch.tensor([0, 1, 4]))",
            "(torch.rand(5, 4), torch.tensor([0, 2, 3, 5]))",
        ),
        safe=False,
        choice="split-in-leaf-function",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.total = 20

    def forward(self, x: torch.Tensor, steps: int = 3) -> torch.Tensor:
        total = self.total
        times = torch.linspace(-1, total - 1, steps=steps + 1)
        times = list(reversed(times.int().tolist()))
        for time, after in zip(times[:-1], times[1:]):
            x = x if after < 0 else x + time
        return x
""",
        """\
import torch
from torch import nn


@torch.compiler.assume_constant_result
def _tolist(total, steps):
    return torch.linspace(-1, total - 1, steps=steps + 1).int().tolist()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.total = 20

    def forward(self, x: torch.Tensor, steps: int = 3) -> torch.Tensor:
        total = self.total
        times = list(reversed(_tolist(total, steps)))
        for time, after in zip(times[:-1], times[1:]):
            x = x if after < 0 else x + time
        return x
""",
        calls=("(torch.randn(4),)",),
        choice="compute-at-trace-time",
        safe=False,
    ),
)
