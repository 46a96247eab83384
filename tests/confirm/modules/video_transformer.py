import torch
from torch import nn


class TubeletEmbedding(nn.Module):
    def __init__(self, embed_dim, tubelet=(2, 8, 8), in_chans=3):
        super().__init__()
        self.proj = nn.Conv3d(in_chans, embed_dim, kernel_size=tubelet, stride=tubelet)

    def forward(self, video):
        b, t, c, h, w = video.shape
        return self.proj(video.transpose(1, 2))


class VideoTransformer(nn.Module):
    def __init__(self, *, embed_dim, num_frames, img_size, depth, num_heads, num_classes, pool="mean"):
        super().__init__()
        assert pool in {"cls", "mean"}, "pool type must be either cls (cls token) or mean (mean pooling)"
        self.pool = pool
        self.embed = TubeletEmbedding(embed_dim)
        n = (num_frames // 2) * (img_size // 8) ** 2
        self.pos = nn.Parameter(torch.zeros(1, n, embed_dim))
        block = nn.TransformerEncoderLayer(embed_dim, num_heads, 2 * embed_dim, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, depth, enable_nested_tensor=False)
        self.head = nn.Linear(embed_dim, num_classes)

    def forward(self, video, *, return_features=False):
        x = self.embed(video).flatten(2).transpose(1, 2) + self.pos
        x = self.blocks(x)
        feats = x[:, 0] if self.pool == "cls" else x.mean(dim=1)
        return (self.head(feats), feats) if return_features else self.head(feats)
