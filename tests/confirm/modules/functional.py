"""Plain functions for boxes."""

import torch


def box_area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def soft_nms(boxes, scores, sigma=0.5, score_threshold=0.001):
    """Soft non-maximum suppression.

    Args:
        boxes (Tensor[N, 4]): boxes as (x1, y1, x2, y2).
        scores (Tensor[N]): one score for each box.
        sigma (float): how fast the scores of neighbours fall.

    Returns:
        Tensor: the decayed scores.
    """
    n = boxes.shape[0]
    order = scores.argsort(descending=True)
    boxes, scores = boxes[order], scores[order].clone()
    area = box_area(boxes)
    for i in range(n - 1):
        lt = torch.maximum(boxes[i, :2], boxes[i + 1 :, :2])
        rb = torch.minimum(boxes[i, 2:], boxes[i + 1 :, 2:])
        inter = (rb - lt).clamp(min=0).prod(dim=1)
        iou = inter / (area[i] + area[i + 1 :] - inter)
        scores[i + 1 :] = scores[i + 1 :] * torch.exp(-(iou**2) / sigma)
        if float(scores[i + 1 :].max()) < score_threshold:
            break
    return scores
