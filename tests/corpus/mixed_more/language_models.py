"""Text models, decoding, tokens, states, helpers for training on one device."""

import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import logging
import os
import string
import sys
import time
import typing as t
from abc import ABC, abstractmethod
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F

logger = logging.getLogger("lm")


# %% repetition_penalty | torch.randn(1, 8), torch.tensor([[1, 2, 2]])
def f(scores, input_ids, penalty: float = 1.2):
    score = torch.gather(scores, 1, input_ids)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return scores.scatter(1, input_ids, score)


# %% no_repeat_ngram | torch.randn(1, 8), torch.tensor([[1, 2, 1]])
def f(scores, input_ids, n: int = 2):
    seen = collections.defaultdict(list)
    tokens = input_ids[0].tolist()  # breaks: GB0033
    for gram in zip(*[tokens[i:] for i in range(n)]):
        seen[gram[:-1]].append(gram[-1])
    banned = seen.get(tuple(tokens[-(n - 1) :]), [])
    scores[:, banned] = -float("inf")
    return scores


# %% stopping_criteria_list | torch.tensor([[1, 2, 3]])
class MaxLength:
    def __init__(self, n):
        self.n = n

    def __call__(self, ids):
        return ids.shape[-1] >= self.n


class EosCriteria:
    def __init__(self, eos):
        self.eos = eos

    def __call__(self, ids):
        return (ids[:, -1] == self.eos).all()


CRITERIA = [MaxLength(10), EosCriteria(3)]


def f(ids):
    if any(c(ids) for c in CRITERIA):  # breaks: GB0170
        return ids
    return torch.cat([ids, ids[:, -1:]], -1)


# %% logits_processor_list | torch.randn(2, 8)
class Temperature:
    def __init__(self, v):
        self.v = v

    def __call__(self, logits):
        return logits / self.v


class TopK:
    def __init__(self, k):
        self.k = k

    def __call__(self, logits):
        kth = torch.topk(logits, self.k)[0][..., -1, None]
        return logits.masked_fill(logits < kth, -1e9)


class ProcessorList(list):
    def __call__(self, logits):
        for p in self:
            logits = p(logits)
        return logits


def f(logits):
    return ProcessorList([Temperature(0.7), TopK(3)])(logits)


# %% beam_reorder_cache | [(torch.randn(2, 3), torch.randn(2, 3))], torch.tensor([1, 0])
def f(past, beam_idx):
    out = ()
    for layer in past:
        out += (tuple(s.index_select(0, beam_idx) for s in layer),)
    return out


# %% beam_search_scores | torch.randn(2, 5)
def f(logprobs, k: int = 2):
    b, v = logprobs.shape
    flat = logprobs.view(1, -1)
    top, idx = flat.topk(k)
    beam = torch.div(idx, v, rounding_mode="floor")
    return top, beam, idx % v


# %% pack_sequences | torch.randn(2, 3, 4), torch.tensor([3, 2])
rnn = nn.GRU(4, 4, batch_first=True)


def f(x, lengths):
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)  # breaks: GB0007
    out, h = rnn(packed)  # breaks: GB0014
    return h


# %% last_token_pool | torch.randn(2, 4, 8), torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1]])
def f(hidden, attention_mask):
    left_padding = attention_mask[:, -1].sum() == attention_mask.shape[0]
    if left_padding:  # breaks: GB0170
        return hidden[:, -1]
    lengths = attention_mask.sum(dim=1) - 1
    return hidden[torch.arange(hidden.shape[0]), lengths]


# %% mean_pool | torch.randn(2, 4, 8), torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1]])
def f(hidden, attention_mask):
    mask = attention_mask.unsqueeze(-1).expand(hidden.size()).float()
    summed = torch.sum(hidden * mask, 1)
    return summed / torch.clamp(mask.sum(1), min=1e-9)


# %% shift_labels_loss | torch.randn(2, 4, 8), torch.randint(0, 8, (2, 4))
def f(logits, labels, ignore_index: int = -100):
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = labels[..., 1:].contiguous().masked_fill(labels[..., 1:] == 0, ignore_index)
    return F.cross_entropy(shift_logits.view(-1, logits.size(-1)), shift_labels.view(-1), ignore_index=ignore_index)


# %% perplexity_python | torch.tensor(2.0)
import math


def f(loss: torch.Tensor):
    return math.exp(loss.item())  # breaks: GB0124


# %% count_tokens_log | torch.randint(0, 8, (2, 4))
def f(ids):
    n = (ids != 0).sum()
    logger.info(f"{n} tokens")  # breaks: GB0291
    return ids * 2


# %% token_to_text | torch.tensor([1, 2, 3])
VOCAB = {1: "a", 2: "b", 3: "c"}


def f(ids):
    return "".join(VOCAB[int(i)] for i in ids)  # breaks: GB0124


# %% alphabet_table | torch.randn(26)
def f(x):
    table = {ch: i for i, ch in enumerate(string.ascii_lowercase)}
    return x[table["c"]] + len(table)


# %% text_clean | torch.randn(3)
def f(x, text: str = "  Hello, World  "):
    words = text.strip().lower().replace(",", "").split()
    longest = max(words, key=len)
    return x * len(words), longest


# %% text_max_no_key | torch.randn(3)
def f(x, text: str = "one three five"):
    lengths = [len(w) for w in text.split()]
    return x * max(lengths) + lengths.index(max(lengths))


# %% adaptive_halting | torch.randn(2, 4)
cell = nn.Linear(4, 4)
halt = nn.Linear(4, 1)


def f(x, max_steps: int = 4):
    p = torch.zeros(x.shape[0], 1)
    for step in range(max_steps):
        x = torch.tanh(cell(x))
        p = p + torch.sigmoid(halt(x))
        if (p > 0.99).all():  # breaks: GB0170
            break
    return x


# %% fixed_point_iteration | torch.randn(4)
def f(x, tol: float = 1e-4, max_iter: int = 10):
    for i in range(max_iter):
        new = torch.cos(x)
        if torch.norm(new - x) < tol:  # breaks: GB0170
            return new
        x = new
    return x


# %% newton_fixed_steps | torch.rand(4) + 1
def f(a):
    x = a.clone()
    for _ in range(5):
        x = 0.5 * (x + a / x)
    return x


# %% strategy_abc | torch.randn(4)
class Strategy(ABC):
    registry: t.Dict[str, type] = {}

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Strategy.registry[cls.__name__.lower()] = cls

    @abstractmethod
    def apply(self, x): ...


class Double(Strategy):
    def apply(self, x):
        return x * 2


def f(x, name: str = "double"):
    return Strategy.registry[name]().apply(x)


# %% enum_with_method | torch.randn(4)
class Act(enum.Enum):
    RELU = "relu"
    TANH = "tanh"

    def __call__(self, x):
        return getattr(torch, self.value)(x)


def f(x):
    return Act.TANH(x) + Act.RELU(x)


# %% flag_enum | torch.randn(4)
class Opt(enum.Flag):
    A = enum.auto()
    B = enum.auto()


def f(x, o=Opt.A | Opt.B):
    if Opt.A in o:
        x = x + 1
    if o & Opt.B:
        x = x * 2
    return x


# %% namespace_config | torch.randn(4)
CFG = SimpleNamespace(scale=2.0, layers=3, debug=False)


def f(x):
    for _ in range(CFG.layers):
        x = x * CFG.scale
    if CFG.debug:
        print(x)
    return x


# %% namespace_built_inside | torch.randn(4)
def f(x):
    out = SimpleNamespace(a=x, b=x * 2)  # breaks: GB0147
    return out.a + out.b


# %% dataclass_post_init | torch.randn(4)
@dataclasses.dataclass
class Range:
    lo: float
    hi: float
    width: float = dataclasses.field(init=False)

    def __post_init__(self):
        if self.hi < self.lo:
            raise ValueError("empty")
        self.width = self.hi - self.lo


def f(x):
    r = Range(0.0, 2.0)
    return x.clamp(r.lo, r.hi) / r.width


# %% dataclass_eq_order | torch.randn(4)
@dataclasses.dataclass(order=True, frozen=True)
class V:
    major: int
    minor: int = 0


def f(x):
    if V(2, 1) > V(2) and V(1) == V(1, 0):
        return x + 1
    return x


# %% property_setter_validation | torch.randn(4)
class Knob:
    def __init__(self):
        self._v = 1.0

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, new):
        if new < 0:
            raise ValueError("negative")
        self._v = new


def f(x):
    k = Knob()
    k.v = 3.0
    return x * k.v


# %% callback_list | torch.randn(4)
class Trainer:
    def __init__(self):
        self.callbacks = []
        self.log = {}

    def on(self, fn):
        self.callbacks.append(fn)
        return self

    def fire(self, **kw):
        for cb in self.callbacks:
            cb(self, **kw)


def record(trainer, loss):
    trainer.log["loss"] = loss.detach()


def f(x):
    tr = Trainer().on(record)
    loss = x.pow(2).sum()
    tr.fire(loss=loss)
    return tr.log["loss"] + loss


# %% callback_prints | torch.randn(4)
def emit(step, loss):
    sys.stdout.write(f"{step}: {loss}\n")  # breaks: GB0156


def f(x, on_step=emit):
    loss = x.pow(2).sum()
    on_step(0, loss)
    return loss * 2


# %% retry_loop | torch.randn(4)
def flaky(n):
    if n < 2:
        raise RuntimeError("again")
    return n


def f(x):
    for attempt in range(4):
        try:
            v = flaky(attempt)
            break
        except RuntimeError:
            continue
    return x * v


# %% finally_restores | torch.randn(4)
STATE = {"mode": "train"}


def f(x):
    old = STATE["mode"]
    STATE["mode"] = "eval"
    try:
        y = x * (2 if STATE["mode"] == "eval" else 3)
    finally:
        STATE["mode"] = old
    return y


# %% temporary_attribute | torch.randn(2, 4)
net = nn.Linear(4, 4)


@contextlib.contextmanager
def scaled(module, k):
    module.k = k
    try:
        yield
    finally:
        del module.k


def f(x):
    with scaled(net, 2.0):
        return net(x) * net.k


# %% warmup_generator | torch.randn(4)
def warmup(n):
    for i in itertools.count():
        yield min(1.0, i / n)


def f(x):
    gen = warmup(4)
    for _ in range(3):
        x = x * (1 + next(gen))
    return x


# %% pairwise_windows | torch.randn(4)
def f(x):
    dims = [4, 8, 16, 2]
    total = 0
    for a, b in zip(dims[:-1], dims[1:]):
        total += a * b
    for a, b in itertools.pairwise(dims):
        total -= a
    return x / total


# %% cumulative_offsets | torch.randn(10)
def f(x):
    sizes = [2, 3, 5]
    offsets = [0, *itertools.accumulate(sizes)]
    parts = [x[a:b].sum() for a, b in zip(offsets, offsets[1:])]
    return torch.stack(parts)


# %% dict_merge_defaults | torch.randn(4)
DEFAULTS = {"scale": 1.0, "shift": 0.0}


def norm(x, **kwargs):
    opts = {**DEFAULTS, **kwargs}
    unknown = set(opts) - set(DEFAULTS)
    if unknown:
        raise TypeError(f"unknown options: {sorted(unknown)}")
    return x * opts["scale"] + opts["shift"]


def f(x):
    return norm(x, shift=1.0)


# %% chainmap_lookup | torch.randn(4)
def f(x):
    cfg = collections.ChainMap({"a": 1}, {"a": 5, "b": 2})
    return x * cfg["a"] + cfg["b"]


# %% counter_most_common | torch.randn(4)
def f(x):
    c = collections.Counter("abracadabra")
    return x * c.most_common(1)[0][1]  # breaks: GB0059


# %% format_spec_number | torch.randn(4)
def f(x):
    label = f"{x.shape[0]:>4d}|{0.5:.2%}|{'a':^3}"
    return x, label


# %% elapsed_logging | torch.randn(4)
def f(x):
    t0 = time.monotonic()  # breaks: GB0007
    y = x.exp().log()
    logger.debug("took %.3f s", time.monotonic() - t0)  # breaks: GB0007, GB0291
    return y


# %% deepcopy_module_state | torch.randn(2, 4)
def f(x):
    state = {"w": [1.0, 2.0], "n": 3}
    snapshot = copy.deepcopy(state)
    state["w"].append(3.0)
    return x * len(snapshot["w"]) + len(state["w"])


# %% process_id_seed | torch.randn(2, 4)
def f(x):
    return x + os.getpid() % 2  # breaks: GB0007


# %% typing_overload_dispatch | torch.randn(2, 4)
@t.overload
def pick(x: torch.Tensor, i: int) -> torch.Tensor: ...
@t.overload
def pick(x: torch.Tensor, i: slice) -> torch.Tensor: ...
def pick(x, i):
    return x[i]


def f(x):
    return pick(x, 0) + pick(x, slice(1, 2))


# %% protocol_check | torch.randn(2, 4)
@t.runtime_checkable
class HasScale(t.Protocol):
    def scale(self) -> float: ...


class S:
    def scale(self):
        return 2.0


def f(x):
    s = S()
    return x * s.scale() if isinstance(s, HasScale) else x


# %% generic_container | torch.randn(2, 4)
T = t.TypeVar("T")


class Box(t.Generic[T]):
    def __init__(self, item: T):
        self.item = item

    def map(self, fn: t.Callable[[T], T]) -> "Box[T]":
        return Box(fn(self.item))


def f(x):
    return Box(x).map(torch.sin).map(lambda v: v * 2).item


# %% partialmethod_layers | torch.randn(2, 4)
class Layer:
    def run(self, x, k):
        return x * k

    double = functools.partialmethod(run, k=2)


def f(x):
    return Layer().double(x)  # breaks: GB0088


# %% bound_method_table | torch.randn(2, 4)
class Ops:
    def __init__(self):
        self.table = {"add": self.add, "mul": self.mul}

    def add(self, x):
        return x + 1

    def mul(self, x):
        return x * 2


def f(x, plan=("add", "mul")):
    ops = Ops()
    for p in plan:
        x = ops.table[p](x)
    return x


# %% subclass_hook_wraps_forward | torch.randn(3)
class Layer(torch.nn.Module):
    checkpointing = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        forward = cls.forward

        @functools.wraps(forward)
        def with_checkpointing(self, *args, **kwargs):
            if self.checkpointing and self.training:
                print("checkpointing")
            return forward(self, *args, **kwargs)

        cls.forward = with_checkpointing


class Scale(Layer):
    def forward(self, x):
        y = x + 1
        return y * y.sum().item()  # breaks: GB0124


SCALE = Scale()


def f(x):
    return SCALE(x) + 1


# %% switch_of_an_old_config | torch.randn(3)
class Settings:
    def __init__(self, **options):
        for name, value in options.items():
            setattr(self, name, value)


class Noisy(torch.nn.Module):
    loud = False

    def __init__(self, settings):
        super().__init__()
        if getattr(settings, "loud", False):
            self.make_loud()

    def make_loud(self):
        self.loud = True

    def forward(self, x):
        if self.loud:
            print("loud")
        return x + x.sum().item()  # breaks: GB0124


NOISY = Noisy(Settings())


def f(x):
    return NOISY(x)


# %% versions_of_torch_python_and_packages | torch.ones(1)
import importlib.metadata as metadata
import sys

from packaging import version
from packaging.version import InvalidVersion, Version, parse

TORCH = version.parse(torch.__version__)
IS_OLD = TORCH < version.parse("2.0")
SAME = metadata.version("torch") == torch.__version__
ROOM = sys.version_info[:2] >= (3, 9) and (sys.version_info.major, sys.version_info.minor) < (4, 0)


def at_least(name, needed):
    return parse(parse(metadata.version(name)).base_version) >= parse(needed)


def f(x):
    if IS_OLD or torch.__version__ < "2.0" or sys.version_info < (3, 8):
        return x.item()
    if not SAME or not ROOM or not at_least("numpy", "1.0") or TORCH.release < (2, 1):
        return x.tolist()
    if not isinstance(TORCH, Version) or str(Version("1.00")) == "1.00" or [1, 3] < [1, 2]:
        return x + x.nonzero()
    try:
        parse("none at all")
    except InvalidVersion:
        x = x + TORCH.major
    return x.item() + 1  # breaks: GB0124
