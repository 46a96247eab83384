from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

import torch
import torch.nn as nn
import torch.nn.functional as F


class NormKind(str, Enum):
    LAYER = "layer"
    RMS = "rms"


@dataclass
class AttentionConfig:
    n_head: int
    bias: bool = False
    dropout: float = 0.0


@dataclass
class GPTConfig:
    block_size: int
    vocab_size: int
    n_layer: int
    n_embd: int
    attention: AttentionConfig
    norm: NormKind = NormKind.RMS
    activation: Literal["gelu", "silu"] = "gelu"
    tie_weights: bool = True
    extra: dict = field(default_factory=dict)


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Block(nn.Module):
    def __init__(self, config: GPTConfig):
        super().__init__()
        self.n_head = config.attention.n_head
        norm = RMSNorm if config.norm is NormKind.RMS else nn.LayerNorm
        self.ln_1, self.ln_2 = norm(config.n_embd), norm(config.n_embd)
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.attention.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.attention.bias)
        self.up = nn.Linear(config.n_embd, 4 * config.n_embd)
        self.down = nn.Linear(4 * config.n_embd, config.n_embd)
        self.act = {"gelu": F.gelu, "silu": F.silu}[config.activation]

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(self.ln_1(x)).split(C, dim=2)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))
        return x + self.down(self.act(self.up(self.ln_2(x))))


class GPT(nn.Module):
    def __init__(self, config: GPTConfig):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.block_size, config.n_embd)
        self.h = nn.ModuleList([Block(config) for _ in range(config.n_layer)])
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        if config.tie_weights:
            self.wte.weight = self.lm_head.weight

    def forward(self, idx, targets=None):
        b, t = idx.size()
        assert t <= self.config.block_size, f"Cannot forward sequence of length {t}, block size is only {self.config.block_size}"
        x = self.wte(idx) + self.wpe(torch.arange(t, device=idx.device))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(x)
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        return logits, loss
