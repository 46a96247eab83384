import torch
import torch.nn as nn


class DoubleConv(nn.Module):
    def __init__(self, in_ch, out_ch, norm="bn"):
        super().__init__()
        if norm == "bn":
            make = nn.BatchNorm3d
        elif norm == "in":
            make = nn.InstanceNorm3d
        else:
            raise ValueError(f"Unknown norm: {norm}. Supported: 'bn', 'in'")
        self.net = nn.Sequential(
            nn.Conv3d(in_ch, out_ch, 3, padding=1), make(out_ch), nn.ReLU(inplace=True),
            nn.Conv3d(out_ch, out_ch, 3, padding=1), make(out_ch), nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.net(x)


class UNet3D(nn.Module):
    def __init__(self, in_ch, out_ch, features, norm, deep_supervision=False):
        super().__init__()
        self.deep_supervision = deep_supervision
        self.downs, self.ups, self.trans = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for f in features:
            self.downs.append(DoubleConv(in_ch, f, norm))
            in_ch = f
        for f in reversed(features[:-1]):
            self.trans.append(nn.ConvTranspose3d(in_ch, f, 2, stride=2))
            self.ups.append(DoubleConv(2 * f, f, norm))
            in_ch = f
        self.pool = nn.MaxPool3d(2)
        self.out = nn.Conv3d(in_ch, out_ch, 1)

    def forward(self, x):
        skips = []
        for i, down in enumerate(self.downs):
            x = down(x)
            if i < len(self.downs) - 1:
                skips.append(x)
                x = self.pool(x)
        outs = []
        for t, up, skip in zip(self.trans, self.ups, reversed(skips)):
            x = up(torch.cat([skip, t(x)], dim=1))
            outs.append(x)
        return [self.out(x), *outs] if self.deep_supervision else self.out(x)
