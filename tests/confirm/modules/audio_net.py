import torch
import torch.nn as nn
import torch.nn.functional as F


class ResidualUnit(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(channels, channels, 7, dilation=dilation, padding=3 * dilation))
        self.proj = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        return x + self.proj(F.elu(self.conv(F.elu(x))))


class WaveEncoder(nn.Module):
    """Strided 1-D encoder over raw audio with a GRU at its end.

    Args:
        channels: width after the first convolution.
        strides: how much each stage shortens the signal.
    """

    def __init__(self, channels=16, strides=(2, 4, 5), dimension=64, causal=False):
        super().__init__()
        layers = [nn.Conv1d(1, channels, 7, padding=3)]
        for stride in strides:
            layers += [ResidualUnit(channels, 1), ResidualUnit(channels, 3), nn.ELU()]
            layers += [nn.Conv1d(channels, channels * 2, 2 * stride, stride=stride, padding=stride // 2)]
            channels *= 2
        self.layers = nn.Sequential(*layers)
        self.rnn = nn.GRU(channels, dimension, batch_first=True)
        self.hop = 1
        for stride in strides:
            self.hop *= stride

    def forward(self, wav):
        """
        wav: mono waveform, shape (batch, 1, samples)
        """
        length = wav.shape[-1]
        extra = -length % self.hop
        if extra:
            wav = F.pad(wav, (0, extra))
        z = self.layers(wav)
        h, _ = self.rnn(z.transpose(1, 2))
        return h / h.norm(dim=-1, keepdim=True).clamp(min=1e-6)
