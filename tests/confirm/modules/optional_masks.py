import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RelativeAttention(nn.Module):
    """
    Multi-head attention with learned relative positions.

    Parameters
    ----------
    embed_dim : int
    num_heads : int
    max_rel : int
        Largest distance that has an embedding of its own.
    """

    def __init__(self, embed_dim, num_heads, max_rel=8, causal=False):
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.h, self.d = num_heads, embed_dim // num_heads
        self.causal = causal
        self.max_rel = max_rel
        self.qkv = nn.Linear(embed_dim, embed_dim * 3)
        self.rel = nn.Embedding(2 * max_rel + 1, self.d)
        self.out = nn.Linear(embed_dim, embed_dim)

    def forward(self, hidden, attention_mask=None, head_mask=None, position_ids=None):
        bsz, tgt_len, _ = hidden.size()
        q, k, v = self.qkv(hidden).view(bsz, tgt_len, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        if position_ids is None:
            position_ids = torch.arange(tgt_len, device=hidden.device).expand(bsz, tgt_len)
        dist = (position_ids[:, :, None] - position_ids[:, None, :]).clamp(-self.max_rel, self.max_rel) + self.max_rel
        scores = q @ k.transpose(-1, -2)
        scores = scores + torch.einsum("bhid,bijd->bhij", q, self.rel(dist))
        scores = scores / math.sqrt(self.d)
        if self.causal:
            scores = scores.masked_fill(torch.ones(tgt_len, tgt_len, device=q.device).triu(1).bool(), float("-inf"))
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask[:, None, None, :] == 0, float("-inf"))
        probs = F.softmax(scores, dim=-1)
        if head_mask is not None:
            probs = probs * head_mask
        return self.out((probs @ v).transpose(1, 2).reshape(bsz, tgt_len, -1))
