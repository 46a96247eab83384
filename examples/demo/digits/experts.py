from __future__ import annotations

import torch
from torch import nn

from digits.config import Config


class ExpertLayer(nn.Module):
    """Each row goes to the expert that scores highest."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.router = nn.Linear(config.width, config.experts)
        self.experts = nn.ModuleList(nn.Linear(config.width, config.width) for _ in range(config.experts))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        choice = self.router(x).argmax(dim=-1)
        out = torch.zeros_like(x)
        for index, expert in enumerate(self.experts):
            rows = torch.nonzero(choice == index).squeeze(-1)
            out = out.index_add(0, rows, expert(x[rows]))
        return out
