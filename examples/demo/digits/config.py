from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Config:
    size: int = 8
    width: int = 32
    classes: int = 10
    experts: int = 4
    layers: int = 2
    batch: int = 16
    steps: int = 3
    lr: float = 1e-3
    log_loss: bool = True
