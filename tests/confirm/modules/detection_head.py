import math
from typing import List, Tuple

import torch
from torch import nn, Tensor


class Scale(nn.Module):
    def __init__(self, init: float = 1.0):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(init))

    def forward(self, x):
        return x * self.scale


class FCOSHead(nn.Module):
    """Anchor-free head that is shared by all levels of a feature pyramid."""

    def __init__(self, in_channels: int, num_classes: int, num_convs: int = 2, num_levels: int = 3):
        super().__init__()
        cls_tower, box_tower = [], []
        for _ in range(num_convs):
            cls_tower += [nn.Conv2d(in_channels, in_channels, 3, padding=1), nn.GroupNorm(8, in_channels), nn.ReLU()]
            box_tower += [nn.Conv2d(in_channels, in_channels, 3, padding=1), nn.GroupNorm(8, in_channels), nn.ReLU()]
        self.cls_tower = nn.Sequential(*cls_tower)
        self.box_tower = nn.Sequential(*box_tower)
        self.cls_logits = nn.Conv2d(in_channels, num_classes, 3, padding=1)
        self.bbox_pred = nn.Conv2d(in_channels, 4, 3, padding=1)
        self.scales = nn.ModuleList([Scale(1.0) for _ in range(num_levels)])
        nn.init.constant_(self.cls_logits.bias, -math.log(99))

    def forward(self, features: List[Tensor]) -> Tuple[Tensor, Tensor]:
        all_logits, all_boxes = [], []
        assert len(features) == len(self.scales)
        for scale, feature in zip(self.scales, features):
            logits = self.cls_logits(self.cls_tower(feature))
            boxes = torch.relu(scale(self.bbox_pred(self.box_tower(feature))))
            N, K, H, W = logits.shape
            all_logits.append(logits.permute(0, 2, 3, 1).reshape(N, -1, K))
            all_boxes.append(boxes.permute(0, 2, 3, 1).reshape(N, -1, 4))
        return torch.cat(all_logits, dim=1), torch.cat(all_boxes, dim=1)
