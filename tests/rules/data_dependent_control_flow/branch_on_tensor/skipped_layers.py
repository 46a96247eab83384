"""Fixes of layers that a tensor or a random number skips."""

from __future__ import annotations

from gblint.rules.examples import FixExample

FIXES = (
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.layerdrop = 0.5

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            # now and then a layer is left out
            if self.training:
                chance = torch.rand([])
                if chance < self.layerdrop:
                    continue
            output = layer(hidden)
            hidden = output + hidden
        return hidden
""",
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.layerdrop = 0.5

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            # now and then a layer is left out
            if self.training:
                chance = torch.rand([])
                skipped = chance < self.layerdrop
                hidden_before = hidden
            output = layer(hidden)
            hidden = output + hidden
            if self.training:
                hidden = torch.where(skipped, hidden_before, hidden)
        return hidden
""",
        calls=("(torch.ones(2, 4),)", "(torch.randn(3, 4, requires_grad=True),)"),
        safe=False,
        choice="where-instead-of-continue",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.layerdrop = 0.5
        self.synced = False

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        synced = self.synced
        for i, layer in enumerate(self.layers):
            # now and then a layer is left out
            skip = False
            if self.training and i > 0 and self.layerdrop > 0:
                chance = torch.rand([])
                skip = chance < self.layerdrop
            if not skip or synced:
                # all of them have to run
                hidden = layer(hidden)
        return hidden
""",
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.layerdrop = 0.5
        self.synced = False

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        synced = self.synced
        for i, layer in enumerate(self.layers):
            # now and then a layer is left out
            skip = False
            if self.training and i > 0 and self.layerdrop > 0:
                chance = torch.rand([])
                skip = chance < self.layerdrop
            hidden_before = hidden
            # all of them have to run
            hidden = layer(hidden)
            if isinstance(skip, torch.Tensor) and not synced:
                hidden = torch.where(skip, hidden_before, hidden)
        return hidden
""",
        calls=(
            "(torch.ones(2, 4),)",
            "(torch.randn(3, 4, requires_grad=True),)",
        ),
        safe=False,
        choice="where-instead-of-flag",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.layerdrop = 0.5

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            to_drop = False
            if self.training and self.layerdrop > 0:
                chance = torch.rand([])
                if chance < self.layerdrop:  # skip the layer
                    to_drop = True
            if not to_drop:
                hidden = layer(hidden)
        return hidden
""",
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.layerdrop = 0.5

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            to_drop = False
            if self.training and self.layerdrop > 0:
                chance = torch.rand([])
                to_drop = chance < self.layerdrop
            hidden_before = hidden
            hidden = layer(hidden)
            if isinstance(to_drop, torch.Tensor):
                hidden = torch.where(to_drop, hidden_before, hidden)
        return hidden
""",
        calls=(
            "(torch.ones(2, 4),)",
            "(torch.randn(3, 4, requires_grad=True),)",
        ),
        safe=False,
        choice="tensor-flag",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        # twice
        x = x * 2
        lifted = x + 1
        x = lifted.relu()
    return x
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    taken = x.sum() > 0
    x_before = x
    # twice
    x = x * 2
    lifted = x + 1
    x = lifted.relu()
    x = torch.where(taken, x, x_before)
    return x
""",
        calls=("(torch.ones(4),)", "(-torch.ones(4, requires_grad=True),)"),
        safe=False,
        choice="run-branch-always",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x)
    near = x.abs().lt(0.5)
    # only where there are such
    if near.sum() > 0:
        total = 1
        for factor in (2.0, 3.0):
            total = x.mul(factor + total)
        out.masked_scatter_(near, total.mul_(-2))
    return out
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x)
    near = x.abs().lt(0.5)
    # only where there are such
    total = 1
    for factor in (2.0, 3.0):
        total = x.mul(factor + total)
    out.masked_scatter_(near, total.mul_(-2))
    return out
""",
        calls=("(torch.ones(4),)", "(torch.tensor([0.1, 1.0, 0.2]),)"),
        safe=False,
        choice="skip-empty-check",
    ),
    FixExample(
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def nothing(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    places = torch.empty(0, 2, dtype=torch.long)
    return x.new_zeros((0, 1)), places


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    mask = x > 0
    chosen = x[mask]
    if len(chosen) == 0:
        return nothing(x)
    places = torch.arange(x.size(0))[mask].view(-1, 1)
    return chosen.view(-1, 1), places.expand(-1, 2)
""",
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def nothing(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    places = torch.empty(0, 2, dtype=torch.long)
    return x.new_zeros((0, 1)), places


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    mask = x > 0
    chosen = x[mask]
    places = torch.arange(x.size(0))[mask].view(-1, 1)
    return chosen.view(-1, 1), places.expand(-1, 2)
""",
        calls=("(torch.ones(4),)", "(-torch.ones(4),)"),
        safe=False,
        choice="remove-empty-return",
    ),
    FixExample(
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(steps: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    found = (steps == 2).nonzero()
    # the second one, if there is one
    position = 1 if len(found) > 1 else 0
    return x[found[position].item()] * 2
""",
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(steps: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    found = (steps == 2).nonzero()
    # the second one, if there is one
    position = max(min(len(found) - 1, 1), 0)
    return x[found[position].item()] * 2
""",
        calls=("(torch.arange(4), torch.randn(4))", "(torch.tensor([1, 2, 2]), torch.randn(3))"),
        choice="min-max-instead-of-test",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
    before = step - 2
    return x[before] if before >= 0 else x.sum()
""",
        """\
import torch


def f(x: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
    before = step - 2
    return torch.where(
        (before >= 0).all(),
        x[before.reshape(-1)].reshape(before.shape + x.shape[1:]),
        x.sum(),
    )
""",
        calls=("(torch.randn(4), torch.tensor(3))", "(torch.randn(4), torch.tensor(1))"),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    same = a.shape == b.shape and (a == b).all()
    y = a * 2
    if same:
        y = y + b.sum()
    return y
""",
        """\
import torch


def f(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    same = a.shape == b.shape and (a == b).all()
    y = a * 2
    if isinstance(same, torch.Tensor):
        y = torch.where(same, y + b.sum(), y)
    elif same:
        y = y + b.sum()
    return y
""",
        calls=("(torch.ones(3), torch.ones(3))", "(torch.ones(3), torch.zeros(3))", "(torch.ones(3), torch.ones(2))"),
        safe=False,
        choice="where-if-tensor",
    ),
)
