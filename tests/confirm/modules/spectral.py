import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralConv2d(nn.Module):
    """2D Fourier layer. It does FFT, linear transform, and inverse FFT."""

    def __init__(self, in_channels, out_channels, modes1, modes2):
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.modes1 = modes1  # number of Fourier modes to keep, at most floor(N/2) + 1
        self.modes2 = modes2
        scale = 1 / (in_channels * out_channels)
        self.weights1 = nn.Parameter(scale * torch.rand(in_channels, out_channels, modes1, modes2, dtype=torch.cfloat))
        self.weights2 = nn.Parameter(scale * torch.rand(in_channels, out_channels, modes1, modes2, dtype=torch.cfloat))

    def forward(self, x):
        batchsize = x.shape[0]
        x_ft = torch.fft.rfft2(x)
        out_ft = torch.zeros(batchsize, self.out_channels, x.size(-2), x.size(-1) // 2 + 1, dtype=torch.cfloat, device=x.device)
        m1, m2 = self.modes1, self.modes2
        out_ft[:, :, :m1, :m2] = torch.einsum("bixy,ioxy->boxy", x_ft[:, :, :m1, :m2], self.weights1)
        out_ft[:, :, -m1:, :m2] = torch.einsum("bixy,ioxy->boxy", x_ft[:, :, -m1:, :m2], self.weights2)
        return torch.fft.irfft2(out_ft, s=(x.size(-2), x.size(-1)))


class FNO2d(nn.Module):
    def __init__(self, modes, width, depth=2):
        super().__init__()
        self.p = nn.Linear(3, width)  # input channel is 3: (a(x, y), x, y)
        self.spectral = nn.ModuleList([SpectralConv2d(width, width, modes, modes) for _ in range(depth)])
        self.w = nn.ModuleList([nn.Conv2d(width, width, 1) for _ in range(depth)])
        self.q = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Linear(64, 1))

    def get_grid(self, shape, device):
        batch, size_x, size_y = shape[0], shape[1], shape[2]
        gx = torch.linspace(0, 1, size_x, device=device).reshape(1, size_x, 1, 1).repeat(batch, 1, size_y, 1)
        gy = torch.linspace(0, 1, size_y, device=device).reshape(1, 1, size_y, 1).repeat(batch, size_x, 1, 1)
        return torch.cat((gx, gy), dim=-1)

    def forward(self, x):
        x = torch.cat((x, self.get_grid(x.shape, x.device)), dim=-1)
        x = self.p(x).permute(0, 3, 1, 2)
        for spectral, w in zip(self.spectral, self.w):
            x = F.gelu(spectral(x) + w(x))
        return self.q(x.permute(0, 2, 3, 1))
