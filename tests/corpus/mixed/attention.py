"""Attention, masks, caches, embeddings, positions."""

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


# %% scaled_dot_product | torch.randn(1, 2, 4, 8), torch.randn(1, 2, 4, 8), torch.randn(1, 2, 4, 8)
def f(q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor] = None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    return scores.softmax(-1) @ v


# %% multi_head_module | torch.randn(2, 5, 16)
class Net(nn.Module):
    def __init__(self, dim=16, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        qkv = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in qkv)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(out.transpose(1, 2).reshape(b, n, d))


# %% multi_head_with_asserts | torch.randn(2, 5, 16)
class Net(nn.Module):
    def __init__(self, dim=16, heads=4):
        super().__init__()
        assert dim % heads == 0, "dim must divide"
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, need_weights: bool = False):
        assert x.dim() == 3, f"expected (B, N, D), got {x.shape}"
        h = self.norm(x)
        out, _ = self.attn(h, h, h, need_weights=need_weights)
        return x + out


# %% causal_mask_helper | torch.randn(2, 4, 4)
@functools.lru_cache(maxsize=None)
def causal_mask(n: int):
    return torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)


def f(scores):
    return scores.masked_fill(causal_mask(scores.size(-1)), -1e9)


# %% padding_mask_from_lengths | torch.randn(3, 5), torch.tensor([2, 5, 3])
def f(x, lengths):
    max_len = x.size(1)
    mask = torch.arange(max_len)[None, :] < lengths[:, None]
    return x.masked_fill(~mask, 0.0)


# %% padding_mask_dynamic_max | torch.tensor([2, 5, 3])
def f(lengths):
    max_len = int(lengths.max())  # breaks: GB0124
    return torch.arange(max_len)[None, :] < lengths[:, None]


# %% padding_mask_tensor_arange | torch.tensor([2, 5, 3])
def f(lengths):
    steps = torch.arange(lengths.max())  # breaks: GB0033
    return steps[None, :] < lengths[:, None]


# %% kv_cache_module | torch.randn(1, 1, 8)
class KVCache(nn.Module):
    def __init__(self, length, dim):
        super().__init__()
        self.register_buffer("k", torch.zeros(1, length, dim))
        self.register_buffer("v", torch.zeros(1, length, dim))
        self.pos = 0

    def update(self, k, v):
        self.k[:, self.pos : self.pos + k.size(1)] = k
        self.v[:, self.pos : self.pos + v.size(1)] = v
        self.pos += k.size(1)
        return self.k[:, : self.pos], self.v[:, : self.pos]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = KVCache(8, 8)
        self.proj = nn.Linear(8, 16)

    def forward(self, x):
        k, v = self.proj(x).split(8, dim=-1)
        k, v = self.cache.update(k, v)
        return F.softmax(x @ k.mT, -1) @ v


# %% kv_cache_tensor_position | torch.randn(1, 1, 8), torch.tensor([2])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(1, 8, 8))

    def forward(self, x, input_pos):
        self.cache[:, input_pos] = x
        return self.cache * 2


# %% kv_cache_index_copy | torch.randn(1, 1, 8), torch.tensor([2])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(1, 8, 8))

    def forward(self, x, input_pos: Tensor):
        self.cache.index_copy_(1, input_pos, x)
        return self.cache.sum(1)


# %% kv_cache_slice_by_tensor | torch.randn(1, 1, 8), torch.tensor(2)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(1, 8, 8))

    def forward(self, x, pos: Tensor):
        self.cache[:, pos : pos + 1] = x  # breaks: GB0124
        return self.cache[:, : pos + 1].mean(1)


# %% rotary_embedding | torch.randn(1, 2, 6, 8)
def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


class Net(nn.Module):
    def __init__(self, dim=8, base=10000):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, x):
        t = torch.arange(x.shape[-2], device=x.device, dtype=self.inv_freq.dtype)
        freqs = torch.outer(t, self.inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        return x * emb.cos() + rotate_half(x) * emb.sin()


# %% rotary_complex | torch.randn(1, 6, 8)
def f(x):
    d = x.shape[-1]
    freqs = 1.0 / (10000 ** (torch.arange(0, d, 2)[: d // 2].float() / d))
    angles = torch.outer(torch.arange(x.shape[1]), freqs)
    cis = torch.polar(torch.ones_like(angles), angles)
    xc = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(xc * cis).flatten(2).type_as(x)


# %% rotary_lazy_cache | torch.randn(1, 6, 8)
class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.inv_freq = 1.0 / (10000 ** (torch.arange(0, dim, 2).float() / dim))
        self.seq_len_cached = None
        self.cos_cached = None

    def forward(self, x):
        seq_len = x.shape[1]
        if seq_len != self.seq_len_cached:
            self.seq_len_cached = seq_len
            t = torch.arange(seq_len).type_as(self.inv_freq)
            self.cos_cached = torch.outer(t, self.inv_freq).cos()
        return self.cos_cached


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rotary = Rotary(16)

    def forward(self, x):
        return x * self.rotary(x)[None, :, :]


# %% sinusoidal_positions | torch.randn(2, 6, 8)
def f(x):
    n, d = x.size(1), x.size(2)
    pe = torch.zeros(n, d)
    position = torch.arange(0, n, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return x + pe


# %% einsum_attention | torch.randn(2, 3, 4), torch.randn(2, 5, 4)
def f(q, k):
    sim = torch.einsum("b i d, b j d -> b i j", q, k)
    attn = (sim - sim.amax(dim=-1, keepdim=True).detach()).softmax(dim=-1)
    return torch.einsum("bij,bjd->bid", attn, k)


# %% relative_position_bias | torch.randn(1, 4, 6, 6)
class Net(nn.Module):
    def __init__(self, heads=4, buckets=32, max_distance=128):
        super().__init__()
        self.buckets, self.max_distance = buckets, max_distance
        self.bias = nn.Embedding(buckets, heads)

    @staticmethod
    def bucket(rel, num_buckets=32, max_distance=128):
        n = torch.max(-rel, torch.zeros_like(rel))
        max_exact = num_buckets // 2
        is_small = n < max_exact
        large = max_exact + (
            torch.log(n.float() / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
        ).to(torch.int64)
        large = torch.min(large, torch.full_like(large, num_buckets - 1))
        return torch.where(is_small, n, large)

    def forward(self, scores):
        q = torch.arange(scores.shape[-2])[:, None]
        k = torch.arange(scores.shape[-1])[None, :]
        b = self.bucket(k - q, self.buckets, self.max_distance)
        return scores + self.bias(b).permute(2, 0, 1).unsqueeze(0)


# %% attention_output_tuple | torch.randn(2, 4, 8)
class AttnOut(NamedTuple):
    out: Tensor
    weights: Optional[Tensor] = None


def attend(x: Tensor, need: bool) -> AttnOut:
    w = torch.softmax(x @ x.transpose(1, 2), -1)
    return AttnOut(w @ x, w if need else None)


def f(x):
    res = attend(x, need=True)
    if res.weights is not None:
        return res.out, res.weights.sum()
    return res.out


# %% model_output_dataclass | torch.randn(2, 4, 8)
@dataclass
class Output:
    hidden: Tensor
    loss: Optional[Tensor] = None


def f(x):
    out = Output(hidden=x.tanh())
    out.loss = out.hidden.mean()
    return out.hidden * out.loss


# %% skip_if_all_masked | torch.randn(2, 4), torch.ones(2, 4, dtype=torch.bool)
def f(x, mask):
    if mask.all():  # breaks: GB0170
        return x
    return x.masked_fill(~mask, 0)


# %% skip_if_any | torch.randn(2, 4), torch.ones(2, 4, dtype=torch.bool)
def f(x, mask):
    if not mask.any():  # breaks: GB0170
        return torch.zeros_like(x)
    return x * mask


# %% unpad_tokens | torch.randn(2, 4, 8), torch.ones(2, 4)
def f(x, mask):
    lens = mask.sum(-1, dtype=torch.int32)
    idx = torch.nonzero(mask.flatten(), as_tuple=False).flatten()  # breaks: GB0036
    max_len = lens.max().item()  # breaks: GB0124
    return x.reshape(-1, x.shape[-1])[idx], max_len


# %% sliding_window_mask | torch.randn(6, 6)
def f(scores, window: int = 2):
    n = scores.shape[0]
    i = torch.arange(n).view(-1, 1)
    j = torch.arange(n).view(1, -1)
    keep = (j <= i) & (i - j < window)
    return torch.where(keep, scores, torch.finfo(scores.dtype).min)


# %% alibi_slopes | torch.randn(1, 8, 4, 4)
def get_slopes(n):
    def power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(n).is_integer():
        return power_of_2(n)
    closest = 2 ** math.floor(math.log2(n))
    return power_of_2(closest) + get_slopes(2 * closest)[0::2][: n - closest]


def f(scores):
    slopes = torch.tensor(get_slopes(scores.shape[1]))
    pos = torch.arange(scores.shape[-1])
    return scores + slopes.view(1, -1, 1, 1) * pos


# %% grouped_query_repeat | torch.randn(1, 2, 4, 8)
def repeat_kv(x: Tensor, n_rep: int) -> Tensor:
    b, h, n, d = x.shape
    if n_rep == 1:
        return x
    return x[:, :, None, :, :].expand(b, h, n_rep, n, d).reshape(b, h * n_rep, n, d)


def f(x):
    k = repeat_kv(x, 4)
    v = repeat_kv(x, 1)
    return k.sum() + v.sum()


# %% token_embedding_unique | torch.tensor([1, 2, 2, 3])
table = nn.Embedding(8, 4)


def f(tokens):
    uniq, inverse = torch.unique(tokens, return_inverse=True)  # breaks: GB0036
    return table(uniq)[inverse]


# %% moe_routing_loop | torch.randn(6, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        choice = self.gate(x).argmax(-1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            idx = (choice == i).nonzero(as_tuple=True)[0]  # breaks: GB0036
            out[idx] = expert(x[idx])
        return out


# %% moe_dense | torch.randn(6, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.experts = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])

    def forward(self, x):
        w = self.gate(x).softmax(-1)
        ys = torch.stack([e(x) for e in self.experts], dim=-1)
        return (ys * w.unsqueeze(1)).sum(-1)


# %% chunked_attention | torch.randn(8, 4)
def f(x, chunk: int = 3):
    outs = []
    for i in range(0, x.shape[0], chunk):
        q = x[i : i + chunk]
        outs.append((q @ x.T).softmax(-1) @ x)
    return torch.cat(outs)


# %% document_mask | torch.tensor([0, 0, 1, 1, 1])
def f(doc_ids):
    same = doc_ids[:, None] == doc_ids[None, :]
    n = doc_ids.numel()
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    boundaries = torch.where(doc_ids[1:] != doc_ids[:-1])[0]  # breaks: GB0036
    return same & causal, boundaries


# %% segment_split_by_lengths | torch.randn(6, 2), torch.tensor([2, 4])
def f(x, lengths):
    parts = x.split(lengths.tolist())  # breaks: GB0033
    return [p.mean(0) for p in parts]


# %% segment_split_by_python_list | torch.randn(6, 2), [2, 4]
def f(x, lengths: list):
    parts = torch.split(x, lengths)
    return torch.stack([p.mean(0) for p in parts])


# %% cross_attention_cache_dict | torch.randn(1, 3, 4)
proj = nn.Linear(4, 8)


def f(x, cache=None):
    if cache is None:
        cache = {}
    if "kv" not in cache:
        cache["kv"] = proj(x).chunk(2, -1)
    k, v = cache["kv"]
    return (x @ k.mT).softmax(-1) @ v


# %% dynamic_cache_object | torch.randn(1, 2, 4)
class DynamicCache:
    def __init__(self):
        self.keys: list[Tensor] = []

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, i):
        return self.keys[i]

    def append(self, layer: int, k: Tensor):
        if len(self.keys) <= layer:
            self.keys.append(k)
        else:
            self.keys[layer] = torch.cat([self.keys[layer], k], dim=1)
        return self.keys[layer]


def f(x):
    cache = DynamicCache()
    for layer in range(2):
        for _ in range(2):
            k = cache.append(layer, x + layer)
    return k, len(cache), cache[0].sum()


# %% position_check_against_length | torch.randn(1, 4, 4), torch.tensor([0, 1, 2, 3])
def f(x, position_ids):
    if position_ids.max() >= 512:  # breaks: GB0170
        raise IndexError("position out of range")
    return x + position_ids[:, None]


# %% optional_coefficient | torch.randn(4)
class Net(nn.Module):
    def __init__(self, clip: float | None = None):
        super().__init__()
        self.register_coefficient("clip", clip)

    def register_coefficient(self, name, value):
        if value is None:
            setattr(self, name, None)
            return
        self.register_buffer(name, torch.tensor(value))

    def forward(self, x):
        if self.clip:
            return x.clamp(-self.clip, self.clip)
        return x * 2
