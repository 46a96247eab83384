"""NumPy to tensors and back, indexing, shapes, in-place operations, dtype and device."""

import copy
import functools
import itertools
import math
import os
import random
import re

import numpy as np
import torch
import torch.nn.functional as F


# %% normalise_image | torch.rand(2, 3, 4, 4)
MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)


def f(img):
    mean = torch.tensor(MEAN, dtype=img.dtype, device=img.device).view(1, 3, 1, 1)
    std = torch.as_tensor(STD, dtype=img.dtype).reshape(1, -1, 1, 1)
    return (img - mean).div_(std)


# %% numpy_round_trip | torch.randn(3, 4)
def f(x):
    a = x.numpy()
    a = np.clip(a, -1, 1) * 2
    return torch.from_numpy(a)


# %% numpy_percentile | torch.randn(10)
def f(x):
    a = x.detach().cpu().numpy()
    lo, hi = np.percentile(a, [5, 95])
    return torch.from_numpy(np.clip(a, lo, hi))


# %% numpy_mean_scalar | torch.randn(10)
def f(x):
    m = np.mean(x.numpy())
    s = np.std(x.numpy())
    return (x - m) / s


# %% numpy_windowing | torch.randn(16)
def f(x):
    win = torch.from_numpy(np.hanning(x.shape[0]).astype(np.float32))
    return x * win


# %% numpy_linspace_constant | torch.randn(5)
def f(x):
    betas = np.linspace(1e-4, 0.02, 5, dtype=np.float64)
    alphas = np.cumprod(1.0 - betas)
    return x * torch.from_numpy(alphas).float()


# %% numpy_interp | torch.rand(5)
def f(x):
    xs = np.array([0.0, 0.5, 1.0])
    ys = np.array([0.0, 1.0, 0.0])
    return torch.from_numpy(np.interp(x.numpy(), xs, ys))  # breaks: GB0294


# %% numpy_random_noise | torch.rand(5)
def f(x):
    noise = np.random.randn(5)
    return x + torch.from_numpy(noise)


# %% numpy_random_crop | torch.rand(3, 8, 8)
def f(img, size: int = 4):
    top = np.random.randint(0, img.shape[1] - size)  # breaks: GB0033
    left = np.random.randint(0, img.shape[2] - size)  # breaks: GB0033
    return img[:, top : top + size, left : left + size]


# %% python_random_crop | torch.rand(3, 8, 8)
def f(img, size: int = 4):
    _, h, w = img.shape
    top = random.randint(0, h - size)
    left = random.randint(0, w - size)
    return img[:, top : top + size, left : left + size]  # breaks: GB0213


# %% random_choice_flip | torch.rand(3, 8, 8)
def f(img):
    dims = random.choice([(1,), (2,), (1, 2)])  # breaks: GB0007
    return torch.flip(img, dims)


# %% torch_random_flip | torch.rand(3, 8, 8)
def f(img, p: float = 0.5):
    if torch.rand(1) < p:  # breaks: GB0170
        img = img.flip(-1)
    return img


# %% torch_random_flip_where | torch.rand(3, 8, 8)
def f(img, p: float = 0.5):
    flag = torch.rand(img.shape[0], 1, 1) < p
    return torch.where(flag, img.flip(-1), img)


# %% numpy_argmax_index | torch.randn(6)
def f(x):
    a = x.numpy()
    i = a.argmax()
    return a[i] + 1  # breaks: GB0033


# %% numpy_dtype_table | torch.randn(3)
DTYPES = {"f32": np.float32, "f64": np.float64}


def f(x, kind: str = "f64"):
    return torch.from_numpy(x.numpy().astype(DTYPES[kind]))


# %% numpy_array_of_list | torch.randn(3)
def f(x, points=[[0, 1, 2], [2, 1, 0]]):
    idx = np.array(points)
    return x[torch.from_numpy(idx)]


# %% numpy_where_stack | torch.randn(3, 2)
def f(x: torch.Tensor):
    a = x.numpy()
    b = np.where(a > 0, a, 0.0)
    c = np.stack([a, b], axis=0)
    return np.concatenate([c, c], axis=1).sum(axis=(0, 1))


# %% numpy_nonzero | torch.randn(3, 2)
def f(x: torch.Tensor):
    a = x.numpy()
    rows, cols = np.nonzero(a > 0)  # breaks: GB0036
    return a[rows, cols].sum()


# %% numpy_save | torch.randn(3)
def f(x):
    np.save("_arr.npy", x.numpy())  # breaks: GB0294
    return x + 1


# %% numpy_print_options | torch.randn(3)
def f(x):
    np.set_printoptions(precision=3)  # breaks: GB0294
    return x * 3


# %% indexing_all_forms | torch.arange(24.0).reshape(2, 3, 4)
def f(x):
    a = x[..., 0]
    b = x[:, None, 1:, ::2]
    c = x[[0, 1], [1, 2]]
    d = x[torch.tensor([1, 0])]
    e = x[-1, :, -2:]
    g = x[(0, slice(None), 3)]
    return a.sum() + b.sum() + c.sum() + d.sum() + e.sum() + g.sum()


# %% boolean_assignment | torch.randn(4, 4)
def f(x):
    y = x.clone()
    y[y < 0] = 0
    y[y.isnan()] = 1.0
    y[:, 0] += 3
    return y


# %% boolean_selection | torch.randn(4, 4)
def f(x):
    pos = x[x > 0]  # breaks: GB0036
    return pos.sum()


# %% index_by_argmax | torch.randn(4, 4)
def f(x):
    i = x.sum(1).argmax()
    return x[i]  # breaks: GB0033


# %% index_by_int_tensor | torch.randn(4, 4)
def f(x):
    i = int(x.sum(1).argmax())  # breaks: GB0124
    return x[i]


# %% list_index_by_tensor | torch.tensor(1)
def f(i):
    table = [1.0, 2.0, 3.0]
    return table[i] * 2  # breaks: GB0124


# %% shape_arithmetic | torch.randn(2, 3, 8, 8)
def f(x, patch: int = 4):
    b, c, h, w = x.shape
    assert h % patch == 0 and w % patch == 0
    gh, gw = h // patch, w // patch
    x = x.view(b, c, gh, patch, gw, patch)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(b, gh * gw, c * patch**2)


# %% pad_to_multiple | torch.randn(2, 7, 5)
def f(x, multiple: int = 4):
    h, w = x.shape[-2:]
    ph = math.ceil(h / multiple) * multiple - h
    pw = (-w) % multiple
    if ph or pw:
        x = F.pad(x, (0, pw, 0, ph))
    return x, (ph, pw)


# %% pad_sequence_list | [torch.randn(2), torch.randn(3)]
def f(seqs: list):
    n = max(len(s) for s in seqs)
    out = seqs[0].new_zeros(len(seqs), n)
    for i, s in enumerate(seqs):
        out[i, : s.shape[0]] = s
    return out


# %% conv_output_size | torch.randn(1, 1, 9)
def out_size(n, k, s=1, p=0, d=1):
    return math.floor((n + 2 * p - d * (k - 1) - 1) / s + 1)


def f(x):
    n = out_size(x.shape[-1], 3, s=2)
    return F.interpolate(x, size=n, mode="linear", align_corners=False)


# %% shape_from_prod | torch.randn(2, 3, 4)
def f(x):
    lead = math.prod(x.shape[:-1])
    y = x.reshape(lead, x.shape[-1])
    return y.view(*x.shape[:-1], -1)


# %% size_comparison_chain | torch.randn(2, 3, 4)
def f(x):
    if 1 < x.shape[0] < 10 and x.ndim == 3:
        return x.squeeze(0)
    elif x.shape[-1] in (1, 3):
        return x[..., 0]
    return x.flatten()


# %% shape_as_tensor | torch.randn(2, 3)
def f(x):
    size = torch.tensor(x.shape)
    return x / size.prod()


# %% shape_as_tensor_loop | torch.randn(2, 3)
def f(x):
    size = torch.tensor(x.shape, dtype=torch.float32)
    total = 0.0
    for s in size:
        total += s
    return x / total


# %% dtype_dispatch | torch.randn(3).half()
def f(x):
    if x.dtype in (torch.float16, torch.bfloat16):
        return x.float().softmax(0).to(x.dtype)
    if x.is_floating_point():
        return x.softmax(0)
    return x


# %% device_dispatch | torch.randn(3)
def f(x):
    if x.is_cuda:
        torch.cuda.synchronize()
    device = x.device
    if device.type == "cpu":
        return x + torch.ones(3, device=device)
    return x.to("cpu", non_blocking=True)


# %% cuda_available | torch.randn(3)
def f(x):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return x.to(device) + 1


# %% view_and_inplace | torch.randn(4, 4)
def f(x):
    y = x.clone()
    row = y[0]
    row.fill_(0)
    y.t_()
    y[1:3].mul_(2)
    return y


# %% inplace_on_input | torch.randn(4, 4)
def f(x):
    x.add_(1)
    x[0, 0] = 5
    x *= 2
    return x.sum()


# %% resize_input | torch.randn(4, 4)
def f(x):
    x.resize_(2, 8)  # breaks: GB0148
    return x + 1


# %% stride_check | torch.randn(4, 4)
def f(x):
    if not x.is_contiguous():
        x = x.contiguous()
    if x.stride(0) == 4:
        return torch.as_strided(x, (2, 2), (4, 1))
    return x


# %% data_ptr_check | torch.randn(4), torch.randn(4)
def f(a, b):
    if a.data_ptr() == b.data_ptr():  # breaks: GB5976
        return a
    return a + b


# %% tensor_identity | torch.randn(4), torch.randn(4)
def f(a, b):
    if a is b:
        return a
    return a + b


# %% box_iou | torch.rand(3, 4), torch.rand(2, 4)
def area(b):
    return (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])


def f(b1, b2):
    lt = torch.max(b1[:, None, :2], b2[:, :2])
    rb = torch.min(b1[:, None, 2:], b2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter / (area(b1)[:, None] + area(b2) - inter)


# %% nms_loop | torch.rand(5, 4), torch.rand(5)
def f(boxes, scores, threshold: float = 0.5):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        i = order[0]
        keep.append(i)
        rest = order[1:]
        overlap = (boxes[rest] - boxes[i]).abs().sum(1)  # breaks: GB0033
        order = rest[overlap > threshold]
    return torch.stack(keep)


# %% one_hot | torch.tensor([0, 2, 1])
def f(labels):
    a = F.one_hot(labels, num_classes=3)
    return a.float()


# %% one_hot_unknown_classes | torch.tensor([0, 2, 1])
def f(labels):
    return F.one_hot(labels).float()  # breaks: GB0246


# %% quantise | torch.randn(8)
def f(x, bits: int = 8):
    qmax = 2 ** (bits - 1) - 1
    scale = x.abs().max() / qmax
    q = torch.round(x / scale).clamp(-qmax - 1, qmax).to(torch.int8)
    return q.float() * scale


# %% quantise_python_scale | torch.randn(8)
def f(x, bits: int = 8):
    qmax = 2 ** (bits - 1) - 1
    scale = x.abs().max().item() / qmax  # breaks: GB0124
    return torch.round(x / scale) * scale


# %% histogram | torch.randn(20)
def f(x, bins: int = 5):
    edges = torch.linspace(-2, 2, bins + 1)
    idx = torch.bucketize(x, edges).clamp(0, bins - 1)
    return torch.zeros(bins).index_add_(0, idx, torch.ones_like(x))


# %% histc | torch.randn(20)
def f(x):
    return torch.histc(x, bins=5, min=-2, max=2)


# %% mel_filterbank | torch.randn(9)
def hz_to_mel(hz):
    return 2595.0 * math.log10(1.0 + hz / 700.0)


def f(spec, n_mels: int = 3, sr: int = 8000):
    m_max = hz_to_mel(sr / 2)
    pts = torch.linspace(0, m_max, n_mels + 2)
    hz = 700.0 * (10 ** (pts / 2595.0) - 1.0)
    freqs = torch.linspace(0, sr / 2, spec.shape[-1])
    slopes = hz[None, :] - freqs[:, None]
    diff = hz[1:] - hz[:-1]
    down = -slopes[:, :-2] / diff[:-1]
    up = slopes[:, 2:] / diff[1:]
    return spec @ torch.clamp(torch.min(down, up), min=0)


# %% stft_magnitude | torch.randn(64)
def f(x):
    s = torch.stft(x, 16, hop_length=8, window=torch.hann_window(16), return_complex=True)
    return s.abs().pow(2).clamp_min(1e-10).log10()


# %% unfold_frames | torch.randn(20)
def f(x, size: int = 4, step: int = 2):
    frames = x.unfold(0, size, step)
    energy = frames.square().sum(-1)
    return energy, frames.shape[0]


# %% meshgrid_coords | torch.rand(2, 3, 4)
def f(img):
    h, w = img.shape[-2], img.shape[-1]
    ys, xs = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
    grid = torch.stack((xs, ys), -1)
    return F.grid_sample(img[None], grid[None], align_corners=True)


# %% tensor_from_list_of_scalars | torch.randn(3)
def f(x):
    vals = [v * 2 for v in x]
    return torch.tensor(vals)


# %% tensor_from_python_numbers | torch.randn(3)
def f(x):
    vals = [i / 2 for i in range(x.shape[0])]
    return x + torch.tensor(vals)


# %% tolist_loop | torch.tensor([1, 2, 3])
def f(x):
    total = 0
    for v in x.tolist():  # breaks: GB0033
        total += v
    return total


# %% iterate_rows | torch.randn(3, 4)
def f(x):
    out = []
    for i, row in enumerate(x):
        out.append(row * i if i % 2 else row.flip(0))
    return torch.stack(out)


# %% unpack_columns | torch.randn(5, 4)
def f(boxes):
    x0, y0, x1, y1 = boxes.unbind(-1)
    first, *rest = torch.stack([(x0 + x1) / 2, (y0 + y1) / 2])
    return first, rest


# %% deepcopy_tensor_dict | torch.randn(5, 4)
def f(x):
    batch = {"a": x, "b": [x + 1, x + 2]}
    other = copy.copy(batch)  # breaks: GB0007
    other["a"] = x * 2
    return batch["a"] + other["a"]


# %% itertools_product_tiles | torch.randn(4, 4)
def f(x):
    out = 0
    for i, j in itertools.product(range(2), repeat=2):
        out = out + x[i * 2 : i * 2 + 2, j * 2 : j * 2 + 2]
    return out


# %% environment_switch | torch.randn(4)
def f(x):
    if os.environ.get("MY_DEBUG", "0") == "1":
        print("debugging")
    return x.exp()


# %% file_exists | torch.randn(4)
def f(x, path: str = "/tmp/none"):
    if os.path.exists(path):  # breaks: GB0007
        return x
    return x * 2


# %% path_join_only | torch.randn(4)
def f(x):
    name = os.path.join("runs", "exp", f"ckpt_{x.shape[0]}.pt")
    root, ext = os.path.splitext(name)
    return x * len(root), ext


# %% regex_layer_name | torch.randn(4)
def f(x, name: str = "layers.12.weight"):
    m = re.match(r"layers\.(\d+)\.(\w+)", name)
    if m is None:
        return x
    return x * int(m.group(1))


# %% regex_substitution | torch.randn(4)
def f(x, name: str = "layers.12.weight"):
    short = re.sub(r"\d+", "N", name)
    return x * len(short)


# %% scalar_of_untraced_numpy | torch.randn(4)
def f(x):
    y = x + 1
    best = np.nanargmin([2.0, 1.0])  # breaks: GB0294
    if best == 0:  # breaks: GB0170
        return y
    return y * 2


# %% math_of_numpy_scalar | torch.randn(4)
def f(x):
    y = x + 1
    best = np.interp(0.5, [0, 1], [1, 2])  # breaks: GB0294
    return y * math.exp(best)


# %% copy_of_script_if_tracing | torch.randn(4)
def script_if_tracing(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if not torch._C._is_tracing():
            return fn(*args, **kwargs)
        return torch.jit.script(wrapper.__original_fn)(*args, **kwargs)

    wrapper.__original_fn = fn
    wrapper.__script_if_tracing_wrapper = True
    return wrapper


@script_if_tracing
def scaled(x: torch.Tensor):
    return x * 2


def f(x):
    return scaled(x) + 1


# %% asks_whether_it_is_traced_by_jit | torch.randn(4)
def f(x):
    y = x + 1
    if torch._C._is_tracing():  # breaks: GB0208
        return y
    return y * 2


# %% item_of_computed_indices | torch.randn(3, 3)
def f(x):
    best = torch.min(x, dim=1)[1]
    rows = x.new_tensor([[0, 1], [1, 0], [1, 1]])
    return torch.stack([rows[i] for i in best])  # breaks: GB0033


# %% mask_of_folded_windows | torch.randn(1, 8, 3)
def f(x):
    y = F.fold(x, (1, 10), kernel_size=(1, 8))
    keep = y > 0
    return y[keep] * 2  # breaks: GB0036
