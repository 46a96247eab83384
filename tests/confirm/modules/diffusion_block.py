import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def timestep_embedding(timesteps, dim, max_period=10000):
    """Sinusoidal embeddings of a 1-D tensor of timesteps."""
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(half, dtype=torch.float32) / half).to(timesteps.device)
    args = timesteps[:, None].float() * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, channels, emb_channels, out_channels=None):
        super().__init__()
        out_channels = out_channels or channels
        self.in_layers = nn.Sequential(nn.GroupNorm(8, channels), nn.SiLU(), nn.Conv2d(channels, out_channels, 3, padding=1))
        self.emb_layers = nn.Sequential(nn.SiLU(), nn.Linear(emb_channels, 2 * out_channels))
        self.norm = nn.GroupNorm(8, out_channels)
        self.out_conv = nn.Conv2d(out_channels, out_channels, 3, padding=1)
        self.skip = nn.Identity() if out_channels == channels else nn.Conv2d(channels, out_channels, 1)

    def forward(self, x, emb):
        h = self.in_layers(x)
        scale, shift = self.emb_layers(emb)[..., None, None].chunk(2, dim=1)
        h = self.norm(h) * (1 + scale) + shift
        return self.skip(x) + self.out_conv(F.silu(h))


class TinyUNet(nn.Module):
    """Noise predictor: eps = model(x_t, t, context)."""

    def __init__(self, in_channels, model_channels, context_dim=None):
        super().__init__()
        self.model_channels = model_channels
        emb = model_channels * 4
        self.time_embed = nn.Sequential(nn.Linear(model_channels, emb), nn.SiLU(), nn.Linear(emb, emb))
        self.stem = nn.Conv2d(in_channels, model_channels, 3, padding=1)
        self.down = ResBlock(model_channels, emb, model_channels * 2)
        self.mid = ResBlock(model_channels * 2, emb)
        self.up = ResBlock(model_channels * 3, emb, model_channels)
        self.out = nn.Conv2d(model_channels, in_channels, 3, padding=1)

    def forward(self, x, timesteps):
        emb = self.time_embed(timestep_embedding(timesteps, self.model_channels))
        h = self.stem(x)
        d = self.down(F.avg_pool2d(h, 2), emb)
        d = self.mid(d, emb)
        u = F.interpolate(d, scale_factor=2)
        return self.out(self.up(torch.cat([u, h], dim=1), emb))
