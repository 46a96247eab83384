from __future__ import annotations

import numpy as np
import torch


def scale_at(progress: float) -> float:
    """The noise fades out over the training."""
    return float(np.interp(progress, [0.0, 0.5, 1.0], [0.1, 0.02, 0.0]))


def add_noise(x: torch.Tensor, progress: float) -> torch.Tensor:
    spread = x.std().item()
    return x + torch.randn_like(x) * spread * scale_at(progress)
