"""Matching anchors to ground truth."""

from typing import Dict, List, Tuple

import torch
from torch import Tensor


def box_iou(a: Tensor, b: Tensor) -> Tensor:
    lt = torch.max(a[:, None, :2], b[:, :2])
    rb = torch.min(a[:, None, 2:], b[:, 2:])
    inter = (rb - lt).clamp(min=0).prod(dim=2)
    area_a = (a[:, 2:] - a[:, :2]).prod(dim=1)
    area_b = (b[:, 2:] - b[:, :2]).prod(dim=1)
    return inter / (area_a[:, None] + area_b - inter)


def assign_targets(
    anchors: List[Tensor], targets: List[Dict[str, Tensor]], iou_thresh: float = 0.5
) -> Tuple[List[Tensor], List[Tensor]]:
    """Give every anchor the label and the box of what it overlaps most."""
    labels, matched = [], []
    for anchors_per_image, targets_per_image in zip(anchors, targets):
        gt_boxes = targets_per_image["boxes"]
        if gt_boxes.numel() == 0:
            labels.append(torch.zeros(anchors_per_image.shape[0]))
            matched.append(torch.zeros_like(anchors_per_image))
            continue
        iou = box_iou(anchors_per_image, gt_boxes)
        best, index = iou.max(dim=1)
        label = targets_per_image["labels"][index]
        label[best < iou_thresh] = 0
        labels.append(label)
        matched.append(gt_boxes[index])
    return labels, matched
