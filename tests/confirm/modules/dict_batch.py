from typing import Any, Dict

import torch
from torch import nn


class ClickModel(nn.Module):
    """Click-through model over a batch of named features."""

    def __init__(self, n_users: int, n_items: int, n_dense: int = 13, emb_dim: int = 16):
        super().__init__()
        self.user_emb = nn.Embedding(n_users, emb_dim)
        self.item_emb = nn.Embedding(n_items, emb_dim)
        self.dense = nn.Sequential(nn.Linear(n_dense, 64), nn.ReLU(), nn.Linear(64, emb_dim))
        self.top = nn.Sequential(nn.Linear(3 * emb_dim + 3, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, batch: Dict[str, Any]) -> Dict[str, torch.Tensor]:
        user = self.user_emb(batch["user_id"])
        item = self.item_emb(batch["item_id"])
        dense = self.dense(batch["dense"])
        stack = torch.stack([user, item, dense], dim=1)
        inter = torch.bmm(stack, stack.transpose(1, 2))
        rows, cols = torch.tril_indices(3, 3, offset=-1)
        z = torch.cat([user, item, dense, inter[:, rows, cols]], dim=1)
        logits = self.top(z).squeeze(-1)
        out = {"logits": logits}
        if "label" in batch:
            out["loss"] = nn.functional.binary_cross_entropy_with_logits(logits, batch["label"].float())
        return out
