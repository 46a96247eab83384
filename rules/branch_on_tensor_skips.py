"""Fixes of layers that a tensor or a drawn number skips: part of the examples of ``branch_on_tensor``."""

from __future__ import annotations

from gblint.rules.base import FixExample

SKIPS = (
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
        choice="computed-anyway",
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
        choice="flagged",
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
        choice="flag-of-tensor",
    ),
)
