import torch
import torch.nn as nn
from torch import Tensor


def window_partition(x: Tensor, window_size: int) -> Tensor:
    """
    Args:
        x: (B, H, W, C)
        window_size (int): window size

    Returns:
        windows: (num_windows*B, window_size, window_size, C)
    """
    B, H, W, C = x.shape
    x = x.view(B, H // window_size, window_size, W // window_size, window_size, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, window_size, window_size, C)


class SwinBlock(nn.Module):
    """Swin block on a flat sequence.

    Args:
        dim (int): Number of input channels.
        input_resolution (tuple[int]): Input resolution.
        num_heads (int): Number of attention heads.
        window_size (int): Window size.
        shift_size (int): Shift size for SW-MSA.
    """

    def __init__(self, dim, input_resolution, num_heads, window_size=8, shift_size=0, norm_layer=nn.LayerNorm):
        super().__init__()
        self.input_resolution = input_resolution
        self.window_size = window_size
        self.shift_size = shift_size
        self.norm1 = norm_layer(dim)
        self.attn = nn.MultiheadAttention(dim, num_heads, batch_first=True)
        self.norm2 = norm_layer(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        H, W = self.input_resolution
        B, L, C = x.shape
        assert L == H * W, "input feature has wrong size"
        shortcut = x
        x = self.norm1(x).view(B, H, W, C)
        if self.shift_size > 0:
            x = torch.roll(x, shifts=(-self.shift_size, -self.shift_size), dims=(1, 2))
        w = window_partition(x, self.window_size).flatten(1, 2)
        w = self.attn(w, w, w, need_weights=False)[0]
        n = self.window_size
        x = w.view(B, H // n, W // n, n, n, C).permute(0, 1, 3, 2, 4, 5).reshape(B, L, C)
        x = shortcut + x
        return x + self.mlp(self.norm2(x))
