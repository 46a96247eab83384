import torch
from torch import nn


class FiLMGenerator(nn.Module):
    def __init__(self, *, z_dim: int, style_dim: int, out_features: int, n_blocks: int = 2, activation: str = "relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"unknown activation {activation!r}")
        self.act = nn.ReLU() if activation == "relu" else nn.GELU()
        self.inp = nn.Linear(z_dim, out_features)
        self.films = nn.ModuleList([nn.Linear(style_dim, 2 * out_features) for _ in range(n_blocks)])
        self.blocks = nn.ModuleList([nn.Linear(out_features, out_features) for _ in range(n_blocks)])

    def forward(self, *, z: torch.Tensor, style: torch.Tensor, truncation: float = 1.0) -> torch.Tensor:
        h = self.inp(z * truncation)
        for film, block in zip(self.films, self.blocks):
            gamma, beta = film(style).chunk(2, dim=-1)
            h = self.act(block(h) * (1 + gamma) + beta)
        return h
