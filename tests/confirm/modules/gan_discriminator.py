import torch
from torch import nn
from torch.nn.utils import spectral_norm


class ProjectionDiscriminator(nn.Module):
    """cGAN discriminator with projection. Input images must be 64x64."""

    def __init__(self, nc, ndf, n_classes):
        super().__init__()
        self.main = nn.Sequential(
            spectral_norm(nn.Conv2d(nc, ndf, 4, 2, 1)),
            nn.LeakyReLU(0.2, inplace=True),
            spectral_norm(nn.Conv2d(ndf, ndf * 2, 4, 2, 1)),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            spectral_norm(nn.Conv2d(ndf * 2, ndf * 4, 4, 2, 1)),
            nn.BatchNorm2d(ndf * 4),
            nn.LeakyReLU(0.2, inplace=True),
        )
        self.linear = nn.Linear(ndf * 4 * 8 * 8, 1)
        self.embed = nn.Embedding(n_classes, ndf * 4 * 8 * 8)

    def forward(self, input, y):
        h = self.main(input)
        h = h.view(h.size(0), -1)
        out = self.linear(h)
        return (out + (self.embed(y) * h).sum(1, keepdim=True)).view(-1)
