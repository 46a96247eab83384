from typing import Optional

import torch
import torch.nn as nn
from torch import Tensor


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, n_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.cross_attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Optional[Tensor] = None,
        memory_key_padding_mask: Optional[Tensor] = None,
    ) -> Tensor:
        x = self.norm1(tgt)
        tgt = tgt + self.self_attn(x, x, x, attn_mask=tgt_mask, need_weights=False)[0]
        x = self.norm2(tgt)
        tgt = tgt + self.cross_attn(x, memory, memory, key_padding_mask=memory_key_padding_mask, need_weights=False)[0]
        return tgt + self.ff(self.norm3(tgt))


class Decoder(nn.Module):
    """Autoregressive decoder that attends to an encoder's memory."""

    def __init__(self, vocab_size: int, d_model: int, n_heads: int, n_layers: int, d_ff: int, max_len: int) -> None:
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d_model)
        self.pos = nn.Parameter(torch.zeros(1, max_len, d_model))
        self.layers = nn.ModuleList(DecoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers))
        self.out = nn.Linear(d_model, vocab_size, bias=False)

    def forward(self, tokens: Tensor, memory: Tensor, tgt_mask: Tensor, memory_mask: Tensor) -> Tensor:
        B, T = tokens.shape
        if tgt_mask.dtype != torch.bool:
            raise TypeError(f"tgt_mask must be a bool tensor, got {tgt_mask.dtype}")
        x = self.tok(tokens) + self.pos[:, :T]
        for layer in self.layers:
            x = layer(x, memory, tgt_mask=tgt_mask, memory_key_padding_mask=memory_mask)
        return self.out(x)
