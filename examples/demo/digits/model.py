from __future__ import annotations

import torch
from torch import nn

from digits.config import Config
from digits.experts import ExpertLayer
from digits.losses import smooth_loss
from digits.noise import add_noise


class Block(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.width)
        self.experts = ExpertLayer(config)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.experts(self.norm(x))


class Classifier(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.stem = nn.Linear(config.size * config.size, config.width)
        self.blocks = nn.Sequential(*[Block(config) for _ in range(config.layers)])
        self.head = nn.Linear(config.width, config.classes)

    def forward(self, images: torch.Tensor, labels: torch.Tensor | None = None, progress: float = 0.0) -> torch.Tensor:
        x = self.stem(images)
        if self.training:
            x = add_noise(x, progress)
        x = self.blocks(x)
        logits = self.head(x)
        if labels is None:
            return logits
        return smooth_loss(logits, labels, log=self.config.log_loss)
