"""Images, sound, boxes, augmentation, geometry."""

import math
import random
import warnings
from typing import List, Optional, Sequence, Tuple, Union

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


# %% to_grayscale | torch.rand(2, 3, 4, 4)
def f(img: torch.Tensor, num_output_channels: int = 1) -> torch.Tensor:
    if img.shape[-3] not in (1, 3):
        raise TypeError(f"expected 1 or 3 channels, got {img.shape[-3]}")
    r, g, b = img.unbind(dim=-3)
    grey = (0.2989 * r + 0.587 * g + 0.114 * b).to(img.dtype).unsqueeze(-3)
    return grey.expand(img.shape) if num_output_channels == 3 else grey


# %% random_erasing | torch.rand(3, 8, 8)
def f(img, scale=(0.1, 0.3)):
    c, h, w = img.shape
    area = h * w * random.uniform(*scale)  # breaks: GB0213
    side = int(math.sqrt(area))
    img[:, :side, :side] = 0
    return img


# %% random_affine_params | torch.rand(1, 3, 8, 8)
def f(img: torch.Tensor, degrees: float = 10.0):
    angle = (torch.rand(1) * 2 - 1) * degrees * math.pi / 180
    c, s = torch.cos(angle), torch.sin(angle)
    zero = torch.zeros(1)
    theta = torch.stack([torch.cat([c, -s, zero]), torch.cat([s, c, zero])]).unsqueeze(0)
    grid = F.affine_grid(theta, list(img.shape), align_corners=False)
    return F.grid_sample(img, grid, align_corners=False)


# %% gaussian_kernel | torch.rand(1, 1, 8, 8)
def kernel1d(size: int, sigma: float):
    half = (size - 1) * 0.5
    x = torch.linspace(-half, half, steps=size)
    pdf = torch.exp(-0.5 * (x / sigma).pow(2))
    return pdf / pdf.sum()


def f(img, ksize: Sequence[int] = (3, 3), sigma=1.0):
    kx, ky = (kernel1d(k, sigma) for k in ksize)
    k = torch.mm(ky[:, None], kx[None, :]).expand(img.shape[-3], 1, ksize[0], ksize[1])
    pad = [ksize[0] // 2, ksize[0] // 2, ksize[1] // 2, ksize[1] // 2]
    return F.conv2d(F.pad(img, pad, mode="reflect"), k, groups=img.shape[-3])


# %% crop_by_tensor_box | torch.rand(3, 8, 8), torch.tensor([1, 2, 5, 6])
def f(img, box):
    x0, y0, x1, y1 = box
    return img[:, y0:y1, x0:x1].mean()  # breaks: GB0124


# %% crop_by_list_box | torch.rand(3, 8, 8), [1, 2, 5, 6]
def f(img, box: List[int]):
    x0, y0, x1, y1 = box
    return img[:, y0:y1, x0:x1].mean()


# %% remove_small_boxes | torch.rand(5, 4)
def f(boxes: torch.Tensor, min_size: float = 0.1):
    ws, hs = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    keep = (ws >= min_size) & (hs >= min_size)
    keep = torch.where(keep)[0]  # breaks: GB0036
    return boxes[keep]


# %% masks_to_boxes | torch.ones(2, 4, 4, dtype=torch.bool)
def f(masks):
    if masks.numel() == 0:
        return torch.zeros((0, 4))
    n = masks.shape[0]
    boxes = torch.zeros((n, 4))
    for i, mask in enumerate(masks):
        y, x = torch.where(mask != 0)  # breaks: GB0036
        boxes[i, 0] = torch.min(x)
        boxes[i, 1] = torch.min(y)
    return boxes


# %% box_format_dispatch | torch.rand(3, 4)
def xywh_to_xyxy(b):
    x, y, w, h = b.unbind(-1)
    return torch.stack((x, y, x + w, y + h), dim=-1)


CONVERT = {("xywh", "xyxy"): xywh_to_xyxy, ("xyxy", "xyxy"): lambda b: b}


def f(boxes, in_fmt: str = "xywh", out_fmt: str = "xyxy"):
    allowed = ("xyxy", "xywh")
    if in_fmt not in allowed or out_fmt not in allowed:
        raise ValueError("unsupported format")
    return CONVERT[in_fmt, out_fmt](boxes)


# %% anchor_grid | torch.rand(1, 8, 4, 4)
class Net(nn.Module):
    def __init__(self, sizes=(16, 32), ratios=(0.5, 1.0)):
        super().__init__()
        self.sizes, self.ratios = sizes, ratios
        self.cell = None

    def make(self):
        out = []
        for s in self.sizes:
            for r in self.ratios:
                w, h = s * math.sqrt(1 / r), s * math.sqrt(r)
                out.append([-w / 2, -h / 2, w / 2, h / 2])
        return torch.tensor(out)

    def forward(self, feat):
        if self.cell is None:
            self.cell = self.make()
        gh, gw = feat.shape[-2:]
        ys, xs = torch.meshgrid(torch.arange(gh), torch.arange(gw), indexing="ij")
        shifts = torch.stack((xs.flatten(), ys.flatten(), xs.flatten(), ys.flatten()), dim=1)
        return (shifts[:, None] + self.cell[None]).reshape(-1, 4)


# %% log_mel_dynamic_range | torch.rand(1, 9, 5)
def f(mag, top_db: Optional[float] = 80.0, amin: float = 1e-10):
    db = 10.0 * torch.log10(torch.clamp(mag, min=amin))
    if top_db is not None:
        floor = db.amax(dim=(-2, -1), keepdim=True) - top_db
        db = torch.maximum(db, floor)
    return db


# %% resample_ratio | torch.rand(1, 32)
def f(wave, orig: int = 16000, new: int = 8000):
    g = math.gcd(orig, new)
    o, n = orig // g, new // g
    target = int(math.ceil(n * wave.shape[-1] / o))
    return F.interpolate(wave[None], size=target, mode="linear")[0]


# %% trim_silence | torch.rand(32)
def f(wave: torch.Tensor, threshold: float = 0.1):
    loud = (wave.abs() > threshold).nonzero().squeeze(-1)  # breaks: GB0036
    if loud.numel() == 0:
        return wave
    return wave[loud[0] : loud[-1] + 1]  # breaks: GB0124


# %% spec_augment | torch.rand(1, 16, 20)
def f(spec, max_width: int = 4):
    width = torch.rand(spec.shape[0], 1) * max_width
    start = torch.rand(spec.shape[0], 1) * (spec.shape[-1] - width)
    pos = torch.arange(spec.shape[-1])
    mask = (pos >= start.long()) & (pos < (start + width).long())
    return spec.masked_fill(mask.unsqueeze(1), 0.0)


# %% spec_augment_python | torch.rand(1, 16, 20)
def f(spec, max_width: int = 4):
    width = np.random.randint(1, max_width)  # breaks: GB0033
    spec[..., :width] = 0
    return spec


# %% psnr | torch.rand(2, 3, 4, 4), torch.rand(2, 3, 4, 4)
def f(pred, target, max_val: float = 1.0):
    if not isinstance(pred, torch.Tensor):
        raise TypeError(f"expected a tensor, got {type(pred)}")
    if pred.shape != target.shape:
        raise ValueError(f"shapes {pred.shape} and {target.shape} differ")
    return 10.0 * torch.log10(max_val**2 / F.mse_loss(pred, target, reduction="mean"))


# %% homography_points | torch.rand(2, 5, 2), torch.eye(3)[None]
def f(points, h):
    ones = torch.ones(*points.shape[:-1], 1, dtype=points.dtype)
    p = torch.cat([points, ones], dim=-1) @ h.transpose(-1, -2)
    z = p[..., -1:]
    mask = z.abs() > 1e-8
    scale = torch.where(mask, 1.0 / (z + 1e-8), torch.ones_like(z))
    return scale * p[..., :-1]


# %% rotation_from_axis | torch.tensor([0.1, 0.2, 0.3])
def f(v):
    theta = torch.linalg.norm(v)
    if theta < 1e-8:  # breaks: GB0170
        return torch.eye(3)
    k = v / theta
    K = torch.zeros(3, 3)
    K[0, 1], K[0, 2], K[1, 2] = -k[2], k[1], -k[0]
    K = K - K.T
    return torch.eye(3) + torch.sin(theta) * K + (1 - torch.cos(theta)) * (K @ K)


# %% resize_keep_aspect | torch.rand(3, 10, 20)
def f(img, size: Union[int, Tuple[int, int]] = 8):
    h, w = img.shape[-2:]
    if isinstance(size, int):
        short, long = (w, h) if w <= h else (h, w)
        new_short, new_long = size, int(size * long / short)
        nw, nh = (new_short, new_long) if w <= h else (new_long, new_short)
    else:
        nh, nw = size
    return F.interpolate(img[None], size=[nh, nw], mode="bilinear", antialias=True)[0]


# %% numpy_colormap | torch.rand(4, 4)
LUT = np.linspace(0, 1, 12).reshape(4, 3).astype(np.float32)


def f(x):
    idx = (x.numpy() * 3).astype(np.int64)
    return torch.from_numpy(LUT[idx])


# %% numpy_meshgrid_norm | torch.rand(4, 4)
def f(x):
    h, w = x.shape
    yy, xx = np.meshgrid(np.arange(h), np.arange(w), indexing="ij")
    d = np.sqrt((yy - h / 2) ** 2 + (xx - w / 2) ** 2)
    return x * torch.from_numpy(d).float()


# %% numpy_to_list_lengths | torch.rand(4)
def f(x):
    a = x.numpy()
    top = np.argsort(a)[::-1][:2].copy()
    return top.tolist()  # breaks: GB0033


# %% uint8_round_trip | torch.rand(3, 4, 4)
def f(img):
    q = (img * 255).round().clamp(0, 255).to(torch.uint8)
    arr = q.permute(1, 2, 0).numpy()
    return torch.from_numpy(arr).permute(2, 0, 1).float() / 255


# %% warn_on_range | torch.rand(3, 4, 4)
def f(img):
    if img.max() > 1.0:  # breaks: GB0170
        warnings.warn("not normalised")
    return img - 0.5


# %% tile_image | torch.rand(1, 3, 9, 9)
def f(img, tile: int = 4, overlap: int = 1):
    h, w = img.shape[-2:]
    step = tile - overlap
    out = torch.zeros_like(img)
    for y in range(0, h, step):
        for x in range(0, w, step):
            y1, x1 = min(y + tile, h), min(x + tile, w)
            out[..., y:y1, x:x1] += img[..., y:y1, x:x1] * 2
    return out


# %% batch_of_variable_sizes | [torch.rand(3, 4, 5), torch.rand(3, 6, 4)]
def f(images: List[torch.Tensor], divisor: int = 4):
    sizes = [list(i.shape) for i in images]
    biggest = [max(s) for s in zip(*sizes)]
    biggest[1:] = [int(math.ceil(b / divisor) * divisor) for b in biggest[1:]]
    out = images[0].new_full([len(images)] + biggest, 0)
    for i, img in enumerate(images):
        out[i, : img.shape[0], : img.shape[1], : img.shape[2]].copy_(img)
    return out


# %% cutmix | torch.rand(2, 3, 8, 8), torch.tensor([0, 1])
def f(x, y):
    lam = np.random.beta(1.0, 1.0)  # breaks: GB0294
    cut = int(8 * math.sqrt(1 - lam))
    x[:, :, :cut, :cut] = x.flip(0)[:, :, :cut, :cut]
    return x, y
