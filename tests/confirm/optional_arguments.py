"""A module with branches behind options."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, log: bool = False, other: bool = False) -> None:
        super().__init__()
        if other:
            raise ValueError("never")
        self.log, self.other, self.lin = log, other, nn.Linear(4, 4)

    def forward(
        self,
        x: torch.Tensor,
        mask: torch.Tensor | None = None,
        batch: torch.Tensor | None = None,
        count: torch.Tensor | None = None,
    ) -> torch.Tensor:
        y: torch.Tensor = self.lin(x)
        if mask is not None:
            y = y * mask.sum()
        if count is not None:
            raise ValueError("never")
        return y * batch.max().item() if batch is not None and self.log else y


@dataclass
class Options:
    width: int = 4
    log: bool = False
    other: bool = False


class Configured(nn.Module):
    def __init__(self, width: int, config: Options) -> None:
        super().__init__()
        if config.other:
            raise ValueError("never")
        self.config, self.lin = config, nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.lin(x)
        return y * y.max().item() if self.config.log else y
