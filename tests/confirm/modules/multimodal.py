from __future__ import annotations

import torch
import torch.nn as nn


class CaptionModel(nn.Module):
    """Fuses image patches with token ids and predicts the next token."""

    def __init__(self, vocab_size: int, hidden_size: int, image_size: int, patch_size: int, num_heads: int = 4):
        super().__init__()
        assert image_size % patch_size == 0, "image_size must be divisible by patch_size"
        self.patch = nn.Conv2d(3, hidden_size, kernel_size=patch_size, stride=patch_size)
        self.image_pos = nn.Parameter(torch.zeros(1, (image_size // patch_size) ** 2, hidden_size))
        self.token = nn.Embedding(vocab_size, hidden_size)
        self.cross = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.norm = nn.LayerNorm(hidden_size)
        self.lm_head = nn.Linear(hidden_size, vocab_size)

    def forward(
        self,
        input_ids: torch.LongTensor,
        pixel_values: torch.FloatTensor,
        attention_mask: torch.Tensor | None = None,
        labels: torch.LongTensor | None = None,
        return_dict: bool = True,
    ) -> dict[str, torch.Tensor] | tuple[torch.Tensor, ...]:
        patches = self.patch(pixel_values).flatten(2).transpose(1, 2) + self.image_pos
        tokens = self.token(input_ids)
        if attention_mask is not None:
            tokens = tokens * attention_mask[..., None]
        fused, _ = self.cross(self.norm(tokens), patches, patches)
        logits = self.lm_head(tokens + fused)
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
        return {"logits": logits, "loss": loss} if return_dict else (logits, loss)
