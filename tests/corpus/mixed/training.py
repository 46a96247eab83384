"""Losses, metrics, training and evaluation steps, schedules, samplers."""

import logging
import math
import random
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F

logger = logging.getLogger(__name__)


# %% cross_entropy_with_smoothing | torch.randn(4, 10), torch.tensor([1, 2, 3, 4])
def f(logits, target, smoothing: float = 0.1):
    n = logits.size(-1)
    log_p = F.log_softmax(logits, dim=-1)
    nll = -log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    smooth = -log_p.mean(dim=-1)
    loss = (1 - smoothing) * nll + smoothing * smooth
    return loss.mean() / math.log(n)


# %% loss_with_nan_check | torch.randn(4, 3), torch.randn(4, 3)
def f(pred, target):
    loss = ((pred - target) ** 2).mean()
    if torch.isnan(loss):  # breaks: GB0170
        raise ValueError("loss is NaN")
    return loss


# %% loss_logged_each_step | torch.randn(4, 3), torch.randn(4, 3), 100
def f(pred, target, step: int):
    loss = F.mse_loss(pred, target)
    if step % 100 == 0:
        print(f"step {step}: loss {loss.item():.4f}")  # breaks: GB0059, GB0124
    return loss


# %% loss_not_logged_this_step | torch.randn(4, 3), torch.randn(4, 3)
def f(pred, target, verbose: bool = False):
    loss = F.mse_loss(pred, target)
    if verbose:
        print("loss", loss)
    return loss * 2


# %% focal_loss | torch.randn(8), torch.randint(0, 2, (8,)).float()
def f(logits, targets, alpha=0.25, gamma=2.0, reduction="mean"):
    p = torch.sigmoid(logits)
    ce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    p_t = p * targets + (1 - p) * (1 - targets)
    loss = ce * ((1 - p_t) ** gamma)
    if alpha >= 0:
        loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss
    if reduction == "mean":
        return loss.mean()
    elif reduction == "sum":
        return loss.sum()
    return loss


# %% accuracy_topk | torch.randn(8, 10), torch.randint(0, 10, (8,))
def f(output, target, topk=(1, 5)):
    maxk = max(topk)
    batch_size = target.size(0)
    _, pred = output.topk(maxk, 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    res = []
    for k in topk:
        correct_k = correct[:k].reshape(-1).float().sum(0, keepdim=True)
        res.append(correct_k.mul_(100.0 / batch_size))
    return res


# %% accuracy_as_float | torch.randn(8, 10), torch.randint(0, 10, (8,))
def f(output, target):
    correct = (output.argmax(1) == target).sum().item()  # breaks: GB0124
    return correct / target.numel()


# %% confusion_matrix | torch.tensor([0, 1, 2, 1]), torch.tensor([0, 2, 2, 1])
def f(pred, target, num_classes: int = 3):
    index = target * num_classes + pred
    counts = torch.zeros(num_classes * num_classes)
    counts.scatter_add_(0, index, torch.ones_like(index, dtype=counts.dtype))
    matrix = counts.view(num_classes, num_classes)
    return matrix / matrix.sum(1, keepdim=True).clamp(min=1)


# %% confusion_matrix_bincount | torch.tensor([0, 1, 2, 1]), torch.tensor([0, 2, 2, 1])
def f(pred, target, num_classes: int = 3):
    index = target * num_classes + pred
    counts = torch.bincount(index, minlength=num_classes**2)  # breaks: GB0036
    return counts.view(num_classes, num_classes)


# %% average_meter | torch.randn(4)
class AverageMeter:
    def __init__(self, name):
        self.name = name
        self.reset()

    def reset(self):
        self.sum = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


def f(x):
    meter = AverageMeter("loss")
    for v in x:
        meter.update(v)
    return meter.avg


# %% average_meter_item | torch.randn(4)
class AverageMeter:
    def __init__(self):
        self.values = []

    def update(self, value):
        self.values.append(value)


meter = AverageMeter()


def f(x):
    y = x.relu()
    meter.update(y.mean().item())  # breaks: GB0124
    return y + 1


# %% clip_grad_values | [torch.randn(3), torch.randn(4)], 1.0
def f(grads: list, max_norm: float):
    total = torch.norm(torch.stack([torch.norm(g, 2.0) for g in grads]), 2.0)
    coef = torch.clamp(max_norm / (total + 1e-6), max=1.0)
    return [g * coef for g in grads]


# %% clip_if_too_large | [torch.randn(3), torch.randn(4)], 1.0
def f(grads: list, max_norm: float):
    total = torch.sqrt(sum(g.pow(2).sum() for g in grads))
    if total > max_norm:  # breaks: GB0170
        grads = [g * (max_norm / total) for g in grads]
    return grads


# %% train_step_with_backward | torch.randn(4, 3), torch.randn(4, 1)
model = nn.Linear(3, 1)


def f(x, y):
    loss = F.mse_loss(model(x), y)
    loss.backward()  # breaks: GB0123
    return loss.detach()


# %% full_train_step | torch.randn(4, 3), torch.randn(4, 1)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def f(x, y):
    optimizer.zero_grad()  # breaks: GB0008
    loss = F.mse_loss(model(x), y)
    loss.backward()  # breaks: GB0123
    optimizer.step()  # breaks: GB0025
    return loss


# %% eval_step_no_grad | torch.randn(4, 3), torch.tensor([0, 1, 1, 0])
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))


def f(x, y):
    with torch.no_grad():
        logits = model(x)
        loss = F.cross_entropy(logits, y)
        correct = logits.argmax(-1).eq(y).float().mean()
    return {"loss": loss, "accuracy": correct}


# %% eval_decorated | torch.randn(4, 3)
model = nn.Linear(3, 3)


@torch.no_grad()
def predict(x):
    return model(x).softmax(-1)


def f(x):
    p = predict(x)
    return p.max(dim=-1).values


# %% cosine_schedule | torch.randn(3), 10, 100
def lr_at(step, total, base=1e-3, warmup=5):
    if step < warmup:
        return base * step / warmup
    progress = (step - warmup) / max(1, total - warmup)
    return base * 0.5 * (1.0 + math.cos(math.pi * progress))


def f(x, step: int, total: int):
    return x - lr_at(step, total) * x.sign()


# %% temperature_sampling | torch.randn(2, 10)
def f(logits, temperature: float = 0.8, top_k: int = 5):
    logits = logits / max(temperature, 1e-5)
    values, _ = torch.topk(logits, top_k)
    logits = torch.where(logits < values[..., -1, None], -float("inf"), logits)
    probs = F.softmax(logits, dim=-1)
    return torch.multinomial(probs, num_samples=1)


# %% nucleus_sampling | torch.randn(2, 10)
def f(logits, top_p: float = 0.9):
    sorted_logits, sorted_idx = torch.sort(logits, descending=True)
    cum = torch.cumsum(F.softmax(sorted_logits, dim=-1), dim=-1)
    remove = cum > top_p
    remove[..., 1:] = remove[..., :-1].clone()
    remove[..., 0] = False
    mask = remove.scatter(1, sorted_idx, remove)
    return logits.masked_fill(mask, float("-inf"))


# %% nucleus_sampling_boolean_index | torch.randn(10)
def f(logits, top_p: float = 0.9):
    sorted_logits, sorted_idx = torch.sort(logits, descending=True)
    cum = torch.cumsum(F.softmax(sorted_logits, dim=-1), dim=-1)
    keep = sorted_idx[cum <= top_p]  # breaks: GB0036
    return logits[keep]


# %% greedy_decode_until_eos | torch.randn(1, 4)
embed = nn.Linear(4, 4)


def f(state, max_len: int = 5, eos: int = 3):
    tokens = []
    for _ in range(max_len):
        state = embed(state)
        tok = state.argmax(-1)
        tokens.append(tok)
        if tok.item() == eos:  # breaks: GB0124
            break
    return torch.stack(tokens, 1)


# %% greedy_decode_fixed_length | torch.randn(1, 4)
embed = nn.Linear(4, 4)


def f(state, max_len: int = 5, eos: int = 3):
    tokens = []
    done = torch.zeros(state.size(0), dtype=torch.bool)
    for _ in range(max_len):
        state = embed(state)
        tok = torch.where(done, torch.full_like(done, eos, dtype=torch.long), state.argmax(-1))
        done = done | (tok == eos)
        tokens.append(tok)
    return torch.stack(tokens, dim=1)


# %% mixup | torch.randn(4, 3), torch.eye(4)
def f(x, y, alpha: float = 0.2):
    lam = random.uniform(0, 1)
    perm = torch.randperm(x.size(0))
    return lam * x + (1 - lam) * x[perm], lam * y + (1 - lam) * y[perm]  # breaks: GB0213


# %% random_drop_layer | torch.randn(4, 3)
def f(x, p: float = 0.1):
    if random.random() < p:  # breaks: GB0007
        return x
    return x * 2


# %% timed_step | torch.randn(4, 3)
def f(x):
    start = time.perf_counter()  # breaks: GB0007
    y = x @ x.T
    elapsed = time.perf_counter() - start  # breaks: GB0007
    return y, elapsed


# %% metrics_dict | torch.randn(4), torch.randn(4)
def f(a, b):
    metrics = defaultdict(list)
    for name, t in {"a": a, "b": b}.items():
        metrics[name].append(t.mean())
        metrics[name].append(t.std())
    return {k: torch.stack(v) for k, v in metrics.items()}


# %% metrics_to_python | torch.randn(4), torch.randn(4)
def f(a, b):
    diff = (a - b).abs()
    return {"mae": float(diff.mean()), "max": float(diff.max())}  # breaks: GB0124


# %% config_dataclass | torch.randn(4, 8)
@dataclass
class LossConfig:
    kind: str = "l2"
    weight: float = 0.5
    extras: list = field(default_factory=lambda: [1.0, 2.0])


def f(x, cfg: LossConfig = LossConfig()):
    if cfg.kind == "l2":
        loss = x.pow(2).mean()
    else:
        loss = x.abs().mean()
    for w in cfg.extras:
        loss = loss + w * cfg.weight
    return loss


# %% loss_registry | torch.randn(4), torch.randn(4)
LOSSES = {
    "l1": lambda p, t: (p - t).abs().mean(),
    "l2": lambda p, t: (p - t).pow(2).mean(),
    "huber": partial(F.huber_loss, delta=0.5),
}


def f(p, t):
    total = 0
    for name, weight in (("l1", 0.1), ("huber", 1.0)):
        total = total + weight * LOSSES[name](p, t)
    return total


# %% contrastive_loss | torch.randn(4, 8), torch.randn(4, 8)
def f(a, b, temperature=0.07):
    a = F.normalize(a, dim=-1)
    b = F.normalize(b, dim=-1)
    logits = a @ b.t() / temperature
    labels = torch.arange(logits.shape[0], device=logits.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


# %% hard_negative_mining | torch.randn(8), torch.randint(0, 2, (8,))
def f(losses, labels):
    pos = labels > 0
    num_pos = int(pos.sum())  # breaks: GB0124
    neg = losses.masked_fill(pos, 0)
    hard, _ = neg.sort(descending=True)
    return losses[pos].sum() + hard[: 3 * num_pos].sum()  # breaks: GB0036


# %% masked_mean | torch.randn(2, 5, 3), torch.ones(2, 5, dtype=torch.bool)
def f(x, mask):
    m = mask.unsqueeze(-1).to(x.dtype)
    return (x * m).sum(1) / m.sum(1).clamp_min(1e-6)


# %% masked_select_mean | torch.randn(2, 5), torch.ones(2, 5, dtype=torch.bool)
def f(x, mask):
    picked = torch.masked_select(x, mask)  # breaks: GB0036
    return picked.mean()


# %% warn_if_empty_batch | torch.randn(0, 3)
def f(x):
    if x.shape[0] == 0:
        warnings.warn("empty batch")  # breaks: GB0007
        return x
    return x.mean(0)


# %% warn_not_reached | torch.randn(2, 3)
def f(x: torch.Tensor):
    if x.dim() != 2:
        warnings.warn("expected a matrix")
    return x.mean(0)


# %% logger_debug | torch.randn(2, 3)
def f(x):
    logger.debug("shape %s", x.shape)  # breaks: GB0291
    return x.cumsum(0)


# %% ema_update | [torch.ones(2), torch.ones(3)], [torch.zeros(2), torch.zeros(3)]
def f(averages: list, params: list, decay: float = 0.99):
    for avg, p in zip(averages, params):
        avg.mul_(decay).add_(p, alpha=1 - decay)
    return averages


# %% sgd_by_hand | [torch.ones(2), torch.ones(3)], [torch.zeros(2), torch.zeros(3)]
def f(params, grads, lr: float = 0.1, state={}):
    out = []
    for i, (p, g) in enumerate(zip(params, grads)):
        buf = state.get(i)
        if buf is None:
            buf = torch.clone(g).detach()
        else:
            buf = buf * 0.9 + g
        out.append(p - lr * buf)
    return out


# %% gradient_penalty | torch.randn(4, 3)
critic = nn.Linear(3, 1)


def f(x):
    x = x.requires_grad_(True)  # breaks: GB0125
    score = critic(x)
    (grad,) = torch.autograd.grad(score.sum(), x, create_graph=True)  # breaks: GB9186
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


# %% per_sample_grads | torch.randn(3), torch.randn(4, 3)
def loss_fn(w, x):
    return (w * x).sum() ** 2


def f(w, xs):
    return torch.func.vmap(torch.func.grad(loss_fn), in_dims=(None, 0))(w, xs)


# %% kl_annealing | torch.randn(4, 2), torch.randn(4, 2), 3
def f(mu, logvar, epoch: int):
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=-1)
    beta = min(1.0, epoch / 10)
    return (beta * kl).mean()


# %% early_stop | torch.randn(10)
def f(losses):
    best = losses[0]
    patience = 0
    for i in range(1, losses.shape[0]):
        if losses[i] < best:  # breaks: GB0170
            best = losses[i]
            patience = 0
        else:
            patience += 1
    return best
