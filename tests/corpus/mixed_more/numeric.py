"""Linear algebra, statistics, simulation, optimisation, odd corners of tensors."""

import cmath
import math
import operator
import random
from functools import reduce

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


# %% cholesky_or_jitter | torch.eye(3)
def f(a):
    L, info = torch.linalg.cholesky_ex(a)
    if info.any():  # breaks: GB0170
        L = torch.linalg.cholesky(a + 1e-6 * torch.eye(a.shape[-1]))
    return L


# %% batch_norm_by_hand | torch.randn(8, 4)
class Net(nn.Module):
    def __init__(self, n=4, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(n))
        self.register_buffer("running", torch.zeros(n))
        self.register_buffer("steps", torch.tensor(0, dtype=torch.long))

    def forward(self, x):
        mean, var = x.mean(0), x.var(0, unbiased=False)
        with torch.no_grad():
            self.steps.add_(1)
            self.running.lerp_(mean, 0.1)
        return (x - mean) * torch.rsqrt(var + self.eps) * self.gamma


# %% kmeans_step | torch.randn(10, 2), torch.randn(3, 2)
def f(x, centres):
    assign = torch.cdist(x, centres).argmin(1)
    new = []
    for k in range(centres.shape[0]):
        members = x[assign == k]  # breaks: GB0036
        new.append(members.mean(0) if len(members) else centres[k])
    return torch.stack(new)


# %% kmeans_step_dense | torch.randn(10, 2), torch.randn(3, 2)
def f(x, centres):
    assign = torch.cdist(x, centres).argmin(1)
    onehot = F.one_hot(assign, num_classes=centres.shape[0]).to(x.dtype)
    counts = onehot.sum(0).clamp(min=1)
    return (onehot.t() @ x) / counts[:, None]


# %% power_iteration | torch.randn(4, 4)
def f(a, steps: int = 5):
    v = torch.ones(a.shape[1])
    for _ in range(steps):
        v = F.normalize(a @ v, dim=0)
    return torch.dot(v, a @ v)


# %% quantiles | torch.randn(20)
def f(x):
    q = torch.quantile(x, torch.tensor([0.1, 0.5, 0.9]))
    return x.clamp(q[0], q[2]) - q[1]


# %% median_abs_dev | torch.randn(20)
def f(x):
    m = x.median()
    return (x - m).abs().median().item()  # breaks: GB0124


# %% bisect_search | torch.tensor(2.0)
def f(target):
    lo, hi = torch.tensor(0.0), torch.tensor(10.0)
    for _ in range(20):
        mid = (lo + hi) / 2
        if mid * mid > target:  # breaks: GB0170
            hi = mid
        else:
            lo = mid
    return lo


# %% bisect_search_where | torch.tensor(2.0)
def f(target):
    lo, hi = torch.zeros(()), torch.full((), 10.0)
    for _ in range(20):
        mid = (lo + hi) / 2
        big = mid * mid > target
        lo, hi = torch.where(big, lo, mid), torch.where(big, mid, hi)
    return lo


# %% runge_kutta | torch.randn(3), 0.1
def f(y, h: float):
    def rhs(t, v):
        return -v + math.sin(t)

    t = 0.0
    for _ in range(3):
        k1 = rhs(t, y)
        k2 = rhs(t + h / 2, y + h / 2 * k1)
        y = y + h * k2
        t += h
    return y


# %% adaptive_step | torch.randn(3)
def f(y, tol: float = 1e-2):
    h = 0.5
    err = (y * h).abs().max()
    while err > tol:  # breaks: GB0170
        h = h / 2
        err = (y * h).abs().max()
    return y * h


# %% moving_average_conv | torch.randn(1, 1, 16)
def f(x, k: int = 3):
    w = torch.full((1, 1, k), 1.0 / k)
    return F.conv1d(x, w, padding="same")


# %% autocorrelation_fft | torch.randn(16)
def f(x):
    n = 1 << (2 * x.shape[0] - 1).bit_length()
    s = torch.fft.rfft(x, n=n)
    return torch.fft.irfft(s * s.conj(), n=n)[: x.shape[0]]


# %% complex_parts | torch.randn(4, dtype=torch.cfloat)
def f(z):
    if z.is_complex():
        return torch.stack([z.real, z.imag, z.abs(), z.angle()])
    return z


# %% complex_constant | torch.randn(4)
def f(x):
    w = cmath.exp(2j * cmath.pi / 4)  # breaks: GB0007
    return x * w.real


# %% polynomial_horner | torch.randn(4)
COEFFS = [0.5, -1.0, 2.0]


def f(x):
    return reduce(lambda acc, c: acc * x + c, COEFFS, torch.zeros_like(x))


# %% product_of_shape | torch.randn(2, 3, 4)
def f(x):
    n = reduce(operator.mul, x.shape[1:], 1)
    return x.reshape(-1, n) / math.sqrt(n)


# %% nan_to_mean | torch.randn(4)
def f(x):
    nan = torch.isnan(x)
    return torch.where(nan, torch.nanmean(x), x)


# %% isnan_any_python | torch.randn(4)
def f(x):
    if bool(torch.isnan(x).any()):  # breaks: GB0124
        x = torch.nan_to_num(x)
    return x + 1


# %% equal_check | torch.randn(4), torch.randn(4)
def f(a, b):
    if torch.equal(a, b):  # breaks: GB0033
        return a
    return a - b


# %% allclose_assert | torch.ones(4)
def f(x):
    assert torch.allclose(x, torch.ones(4)), "not ones"  # breaks: GB0033
    return x * 2


# %% tensor_eq_all | torch.ones(4), torch.ones(4)
def f(a, b):
    same = (a == b).all()
    return torch.where(same, a, a + b)


# %% in_place_slices_chain | torch.zeros(4, 4)
def f(x):
    x = x.clone()
    x[1:3, ::2] += 1
    x[-1].copy_(x[0])
    x.diagonal().fill_(7)
    x[x > 5] -= 2  # breaks: GB0036
    return x


# %% index_put_accumulate | torch.zeros(5), torch.tensor([0, 1, 1]), torch.ones(3)
def f(x, idx, v):
    x = x.index_put((idx,), v, accumulate=True)
    x[idx] = v * 2
    return x.scatter_reduce(0, idx, v, reduce="amax")


# %% scalar_tensor_arith | torch.randn(4), torch.tensor(3)
def f(x, n):
    scale = 1.0 / n
    return x * scale + n.float().sqrt()


# %% scalar_tensor_as_power | torch.randn(4), torch.tensor(3)
def f(x, n: torch.Tensor):
    return x ** int(n)  # breaks: GB0124


# %% scalar_tensor_roll | torch.randn(4), torch.tensor(1)
def f(x, n: torch.Tensor):
    return torch.roll(x, n.item(), 0)  # breaks: GB0124


# %% gather_by_clamped_index | torch.randn(4), torch.tensor(9)
def f(x, n: torch.Tensor):
    i = n.clamp(0, x.shape[0] - 1)
    return x.gather(0, i.view(1))


# %% split_by_mask_sum | torch.randn(6), torch.tensor([True, False, True, True, False, True])
def f(x, mask):
    n = mask.sum()
    return x[:n], x[n:]  # breaks: GB0124


# %% sort_and_unsort | torch.randn(6)
def f(x):
    s, idx = x.sort()
    inv = torch.empty_like(idx)
    inv[idx] = torch.arange(idx.numel())
    return s[inv]


# %% python_list_of_floats | torch.randn(3)
def f(x):
    values = [float(v) for v in x]  # breaks: GB0124
    return sum(values) / len(values)


# %% tensor_from_numpy_scalar | torch.randn(3)
def f(x):
    s = np.sqrt(2.0)
    return x * float(s)


# %% numpy_shape_math | torch.randn(2, 3)
def f(x):
    n = np.prod(x.shape)
    return x / n


# %% numpy_log_constants | torch.randn(2, 3)
def f(x):
    return x * np.log(2 * np.pi) - np.float32(0.5)


# %% numpy_bool_branch | torch.randn(2, 3)
def f(x):
    a = x.numpy()
    if (a > 100).any():  # breaks: GB0170
        return x
    return x + 1


# %% numpy_einsum_out | torch.randn(2, 3)
def f(x):
    a = x.numpy()
    b = np.einsum("ij,kj->ik", a, a)
    return torch.as_tensor(b).trace()


# %% numpy_unique | torch.tensor([1, 1, 2])
def f(x):
    u = np.unique(x.numpy())  # breaks: GB0036
    return torch.from_numpy(u)


# %% metropolis_accept | torch.randn(4), torch.randn(4)
def f(state, proposal):
    logp = -proposal.pow(2).sum() + state.pow(2).sum()
    if torch.rand(()).log() < logp:  # breaks: GB0170
        return proposal
    return state


# %% metropolis_accept_where | torch.randn(4), torch.randn(4)
def f(state, proposal):
    logp = -proposal.pow(2).sum() + state.pow(2).sum()
    accept = torch.rand(()).log() < logp
    return torch.where(accept, proposal, state)


# %% distribution_sample | torch.randn(4)
def f(mu):
    d = torch.distributions.Normal(mu, torch.ones_like(mu))
    z = d.rsample()
    return z, d.log_prob(z).sum()


# %% distribution_kl | torch.randn(4)
def f(logits):
    p = torch.distributions.Categorical(logits=logits)
    return p.entropy(), p.sample()


# %% shuffled_batches | torch.randn(8, 2)
def f(x, batch: int = 4):
    order = list(range(x.shape[0]))
    random.shuffle(order)  # breaks: GB0007
    return x[order[:batch]]


# %% shuffled_batches_torch | torch.randn(8, 2)
def f(x, batch: int = 4):
    order = torch.randperm(x.shape[0])
    return [x[c].mean(0) for c in order.split(batch)]


# %% jitter_scale | torch.randn(8, 2)
def f(x, amount: float = 0.1):
    s = random.uniform(1 - amount, 1 + amount)
    return x * s + random.randint(0, 1)


# %% grad_of_loss | torch.randn(3)
def f(w):
    g, value = torch.func.grad_and_value(lambda p: (p**2).sum())(w)
    return w - 0.1 * g, value


# %% backward_on_leaf | torch.randn(3)
def f(x):
    w = x.clone().detach().requires_grad_(True)  # breaks: GB8985
    (w**2).sum().backward()  # breaks: GB0123
    return w.grad


# %% detach_and_mean | torch.randn(3, requires_grad=True)
def f(x):
    target = x.detach().clone()
    with torch.enable_grad():
        loss = (x - target * 0.9).pow(2).mean()
    return loss


# %% global_tensor_constant | torch.randn(3)
SCALE = torch.tensor([1.0, 2.0, 3.0])
LIMIT = torch.tensor(5)


def f(x):
    if LIMIT > 3:  # breaks: GB0170
        x = x + 1
    return x * SCALE


# %% global_tensor_size | torch.randn(3)
WINDOW = torch.hann_window(3)


def f(x):
    if WINDOW.numel() == x.numel() and WINDOW.dtype == x.dtype:
        return x * WINDOW
    return x


# %% padded_to_the_longest | torch.randn(2, 4), torch.ones(2, 5, dtype=torch.int64)
def f(x, mask):
    lengths = mask.sum(dim=1).tolist()  # breaks: GB0033
    longest = max(length + 3 for length in lengths)
    return x.new_zeros(2, longest)


# %% caches_of_layers_and_a_tensor | torch.randn(3, 4)
def cached(x, before):
    before = before or {}
    after = {}
    for number in range(2):
        name = f"layer_{number}"
        after[name] = {"state": x, "old": before.get(name)}
    after["first"] = x
    return after


def f(x):
    cache = cached(x, None)
    for number in range(2):
        layer = cache.get(f"layer_{number}")
        layer = layer or {}
        x = x + layer["state"]
    return x
