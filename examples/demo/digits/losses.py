from __future__ import annotations

import logging

import torch
import torch.nn.functional as F

logger = logging.getLogger(__name__)


def check_labels(labels: torch.Tensor, classes: int) -> None:
    if labels.max() >= classes:
        raise ValueError(f"a label is not below {classes}")


def smooth_loss(logits: torch.Tensor, labels: torch.Tensor, log: bool = False) -> torch.Tensor:
    check_labels(labels, logits.shape[-1])
    loss = F.cross_entropy(logits, labels, label_smoothing=0.1)
    if log:
        right = logits.argmax(dim=-1) == labels
        sure = logits[right].softmax(dim=-1).amax(dim=-1).mean()
        logger.info("loss %s, sure by %s", loss, sure)
    return loss
