"""Modules, classes, autograd, buffers, checkpoints, hooks, compile-time switches."""

import abc
import dataclasses
import functools
import logging
import math
import typing
from collections import OrderedDict
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

log = logging.getLogger("model")


# %% residual_block | torch.randn(1, 4, 6, 6)
class Net(nn.Module):
    def __init__(self, cin=4, cout=4, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.down = None
        if stride != 1 or cin != cout:
            self.down = nn.Sequential(nn.Conv2d(cin, cout, 1, stride), nn.BatchNorm2d(cout))

    def forward(self, x):
        identity = x if self.down is None else self.down(x)
        out = F.relu(self.bn1(self.conv1(x)), inplace=True)
        return F.relu(self.bn2(self.conv2(out)) + identity)


# %% modulelist_with_skip | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self, depth=4):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(depth)])
        self.skips = set(range(1, depth, 2))

    def forward(self, x):
        saved = []
        for i, layer in enumerate(self.layers):
            x = torch.relu(layer(x))
            if i in self.skips:
                saved.append(x)
        for s in reversed(saved):
            x = x + s
        return x


# %% moduledict_heads | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"cls": nn.Linear(4, 3), "reg": nn.Linear(4, 1)})

    def forward(self, x, task: str = "all"):
        if task in self.heads:
            return self.heads[task](x)
        return {name: head(x) for name, head in self.heads.items()}


# %% layerdrop_training | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.p = 0.1

    def forward(self, x):
        for layer in self.layers:
            if self.training and torch.rand([]) < self.p:  # breaks: GB0170
                continue
            x = layer(x)
        return x


# %% dropout_training_flag | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = 0.5

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        keep = 1 - self.p
        mask = torch.empty_like(x).bernoulli_(keep)
        return x * mask / keep


# %% hidden_states_collected | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(OrderedDict(a=nn.Linear(4, 4), b=nn.ReLU(), c=nn.Linear(4, 4)))

    def forward(self, x, output_hidden: bool = True):
        hidden = () if output_hidden else None
        for name, block in self.blocks.named_children():
            x = block(x)
            if output_hidden:
                hidden = hidden + (x,)
        return x, hidden


# %% running_statistics | torch.randn(8, 4)
class Net(nn.Module):
    def __init__(self, n=4, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("mean", torch.zeros(n))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x):
        if self.training:
            m = x.mean(0)
            self.mean.mul_(1 - self.momentum).add_(m, alpha=self.momentum)
            self.count += 1
        return x - self.mean


# %% buffer_reassigned | torch.randn(8, 4)
class Net(nn.Module):
    def __init__(self, n=4):
        super().__init__()
        self.register_buffer("mean", torch.zeros(n))

    def forward(self, x):
        self.mean = self.mean * 0.9 + x.mean(0).detach() * 0.1
        return x - self.mean


# %% step_counter_buffer_branch | torch.randn(8, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.zeros((), dtype=torch.long))
        self.warmup = 10

    def forward(self, x):
        self.step += 1
        if self.step < self.warmup:  # breaks: GB0170
            return x * 0.5
        return x


# %% step_counter_int | torch.randn(8, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x):
        self.step += 1
        if self.step > 10:
            return x * 0.5
        return x


# %% weight_tied_functional | torch.randint(0, 8, (2, 3))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, tokens):
        h = self.embed(tokens) * self.scale
        return F.linear(h, self.embed.weight)


# %% property_and_staticmethod | torch.randn(2, 4)
class Base(nn.Module):
    @property
    def width(self):
        return self.fc.out_features

    @staticmethod
    def act(x):
        return x * torch.sigmoid(x)

    @classmethod
    def scale(cls):
        return cls.SCALE

    SCALE = 2.0


class Net(Base):
    SCALE = 3.0

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        return self.act(self.fc(x)) * self.scale() / self.width


# %% abstract_base | torch.randn(2, 4)
class Stage(nn.Module, abc.ABC):
    @abc.abstractmethod
    def run(self, x): ...

    def forward(self, x):
        return self.run(x) + self.bias()

    def bias(self):
        return 0


class Net(Stage):
    def run(self, x):
        return x.sin()

    def bias(self):
        return super().bias() + 1


# %% mixin_super_chain | torch.randn(2, 4)
class LogMixin:
    def forward(self, x):
        out = super().forward(x)
        log.info("forward done")  # breaks: GB0291
        return out


class Core(nn.Module):
    def forward(self, x):
        return x * 2


class Net(LogMixin, Core):
    pass


# %% submodule_called_by_name | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(3):
            setattr(self, f"fc{i}", nn.Linear(4, 4))

    def forward(self, x):
        for i in range(3):
            x = getattr(self, f"fc{i}")(x)
        return x


# %% lazy_parameter_in_forward | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = None

    def forward(self, x):
        if self.weight is None:
            self.weight = nn.Parameter(torch.ones(x.shape[-1]))  # breaks: GB0264
        return x * self.weight


# %% lazy_buffer_in_forward | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = None

    def forward(self, x):
        if self.mask is None or self.mask.shape[0] < x.shape[0]:
            self.mask = torch.ones(x.shape[0], dtype=torch.bool)
        return x * self.mask[:, None]


# %% layer_created_in_forward | torch.randn(2, 4)
class Net(nn.Module):
    def forward(self, x):
        norm = nn.LayerNorm(4)  # breaks: GB0264
        return norm(x)


# %% parameterless_layer_in_forward | torch.randn(2, 4)
class Net(nn.Module):
    def forward(self, x):
        x = nn.ReLU()(x)
        return nn.Softmax(dim=-1)(x)


# %% lstm_encoder | torch.randn(2, 3, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4, batch_first=True)

    def forward(self, x):
        out, (h, c) = self.rnn(x)  # breaks: GB0014
        return out[:, -1] + h[0]


# %% gru_cell_loop | torch.randn(2, 3, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x):
        h = x.new_zeros(x.size(0), 4)
        outs = []
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
            outs.append(h)
        return torch.stack(outs, dim=1)


# %% checkpointed_block | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def inner(self, x):
        return self.b(F.relu(self.a(x)))

    def forward(self, x):
        if self.training:
            return checkpoint(self.inner, x, use_reentrant=False)
        return self.inner(x)


# %% custom_function | torch.randn(4)
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        ctx.save_for_backward(x)
        return torch.round(x * scale) / scale

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() < 1), None


def f(x):
    return Round.apply(x, 4.0) + 1


# %% straight_through | torch.randn(4, 4)
def f(x):
    index = x.argmax(-1, keepdim=True)
    hard = torch.zeros_like(x).scatter_(-1, index, 1.0)
    soft = x.softmax(-1)
    return hard - soft.detach() + soft


# %% forward_hook_inside | torch.randn(2, 4)
layer = nn.Linear(4, 4)


def f(x):
    feats = []
    handle = layer.register_forward_hook(lambda m, i, o: feats.append(o))  # breaks: GB0467
    y = layer(x)
    handle.remove()  # breaks: GB0013
    return y


# %% hook_installed_outside | torch.randn(2, 4)
layer = nn.Linear(4, 4)
feats = {}


def save(module, inputs, output):
    feats["out"] = output.detach()


layer.register_forward_hook(save)


def f(x):
    return layer(x) + 1


# %% freeze_parameters | torch.randn(2, 4)
layer = nn.Linear(4, 4)


def f(x):
    for p in layer.parameters():
        p.requires_grad_(False)  # breaks: GB0125
    return layer(x)


# %% weight_norm_by_names | torch.randn(2, 4)
layer = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))


def f(x):
    reg = 0
    for name, p in layer.named_parameters():
        if name.endswith("weight"):
            reg = reg + p.pow(2).sum()
    return layer(x).sum() + 1e-4 * reg


# %% state_dict_copy | torch.randn(2, 4)
layer = nn.Linear(4, 4)


def f(x):
    sd = layer.state_dict()
    return x @ sd["weight"].t()


# %% train_eval_switch | torch.randn(2, 4)
layer = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))


def f(x):
    was = layer.training
    layer.eval()
    y = layer(x)
    layer.train(was)
    return y


# %% is_compiling_guard | torch.randn(2, 4)
def f(x):
    if not torch.compiler.is_compiling():
        print("eager")
        assert x.sum().item() > -1e9
    return x * 2


# %% is_scripting_guard | torch.randn(2, 4)
def f(x):
    if torch.jit.is_scripting() or torch.jit.is_tracing():
        print("scripting")
        return x
    return x * 2


# %% disabled_helper | torch.randn(2, 4)
@torch.compiler.disable
def host_side(x):
    return x.tolist()


def f(x):
    y = x + 1
    host_side(y)  # breaks: GB0098
    return y * 2


# %% graph_break_explicit | torch.randn(2, 4)
def f(x):
    y = x + 1
    torch._dynamo.graph_break()  # breaks: GB0025
    return y * 2


# %% slots_class | torch.randn(4)
class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __iter__(self):
        yield self.x
        yield self.y


def f(t):
    v = 2 * (Vec(t, t + 1) + Vec(t, t))
    a, b = v
    return a + b


# %% operator_overloads_compare | torch.randn(4)
class Version:
    def __init__(self, text):
        self.parts = tuple(int(p) for p in text.split("."))

    def __lt__(self, other):
        return self.parts < other.parts

    def __eq__(self, other):
        return self.parts == other.parts


def f(x):
    if Version("2.1") < Version("2.10"):
        return x + 1
    return x


# %% container_protocol | torch.randn(4)
class Bag:
    def __init__(self):
        self.items = {}

    def __setitem__(self, k, v):
        self.items[k] = v

    def __getitem__(self, k):
        return self.items[k]

    def __contains__(self, k):
        return k in self.items

    def __len__(self):
        return len(self.items)

    def __bool__(self):
        return True


def f(x):
    bag = Bag()
    bag["a"] = x
    if bag and "a" in bag and len(bag) == 1:
        return bag["a"] * 2
    return x


# %% dataclass_methods | torch.randn(4)
@dataclass
class State:
    x: torch.Tensor
    t: int = 0

    def step(self):
        return dataclasses.replace(self, x=self.x * 2, t=self.t + 1)


def f(x):
    s = State(x)
    for _ in range(3):
        s = s.step()
    return s.x * s.t


# %% frozen_dataclass_config | torch.randn(2, 8)
@dataclass(frozen=True)
class Config:
    dim: int = 8
    eps: float = 1e-6
    act: str = "silu"

    @property
    def half(self):
        return self.dim // 2


class Net(nn.Module):
    def __init__(self, cfg: Config = Config()):
        super().__init__()
        self.cfg = cfg
        self.weight = nn.Parameter(torch.ones(cfg.dim))

    def forward(self, x):
        rms = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.cfg.eps)
        x = x * rms * self.weight
        fn = getattr(F, self.cfg.act)
        return fn(x[:, : self.cfg.half])


# %% dataclass_asdict | torch.randn(4)
@dataclass
class Opts:
    a: int = 1
    b: float = 2.0


def f(x, o=Opts()):
    d = dataclasses.asdict(o)
    return x * d["a"] * d["b"]


# %% kwargs_forwarding_wrapper | torch.randn(2, 4)
class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)


class FF(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, dim * 2), nn.GELU(), nn.Linear(dim * 2, dim))

    def forward(self, x, scale=1.0):
        return self.net(x) * scale


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.ModuleList([PreNorm(4, FF(4)), PreNorm(4, FF(4))]) for _ in range(2)])

    def forward(self, x):
        for a, b in self.layers:
            x = a(x, scale=0.5) + x
            x = b(x) + x
        return x


# %% getattr_fallback | torch.randn(2, 4)
class Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.inner, name)

    def forward(self, x):
        return self.inner(x) * self.in_features


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = Wrapper(nn.Linear(4, 4))

    def forward(self, x):
        return self.w(x)


# %% module_apply_fn_attr | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self, act="gelu"):
        super().__init__()
        self.act = {"gelu": F.gelu, "relu": F.relu}[act]
        self.proj = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.1) if act == "x" else nn.Identity()

    def forward(self, x):
        return self.drop(self.act(self.proj(x)))


# %% intermediate_print_debug | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self, debug=True):
        super().__init__()
        self.debug = debug
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        x = self.fc(x)
        if self.debug:
            print("after fc", x.shape)  # breaks: GB0059
        return x.relu()


# %% debug_off | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self, debug=False):
        super().__init__()
        self.debug = debug
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        x = self.fc(x)
        if self.debug:
            print("after fc", x.shape)
        return x.relu()


# %% input_validation_raises | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"expected a tensor, not {type(x).__name__}")
        if x.shape[-1] != self.fc.in_features:
            raise ValueError(f"bad width {x.shape[-1]}")
        if torch.isnan(x).any():  # breaks: GB0170
            raise ValueError("NaN in input")
        return self.fc(x)


# %% unet_skip_connections | torch.randn(1, 2, 8, 8)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(2, 2, 3, padding=1) for _ in range(2)])
        self.up = nn.ModuleList([nn.Conv2d(4, 2, 3, padding=1) for _ in range(2)])
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        skips = []
        for d in self.down:
            x = d(x)
            skips.append(x)
            x = self.pool(x)
        for u, skip in zip(self.up, skips[::-1]):
            x = F.interpolate(x, scale_factor=2, mode="nearest")
            if x.shape != skip.shape:
                x = F.interpolate(x, size=skip.shape[2:])
            x = u(torch.cat([skip, x], dim=1))
        return x


# %% vq_lookup | torch.randn(5, 4)
class Net(nn.Module):
    def __init__(self, n=8, d=4):
        super().__init__()
        self.codebook = nn.Embedding(n, d)

    def forward(self, z):
        dist = torch.cdist(z, self.codebook.weight)
        ids = dist.argmin(-1)
        q = self.codebook(ids)
        loss = F.mse_loss(q.detach(), z) + 0.25 * F.mse_loss(q, z.detach())
        usage = torch.unique(ids).numel()  # breaks: GB0036
        return z + (q - z).detach(), loss, usage


# %% diffusion_timestep | torch.randn(2, 4), torch.tensor([3, 7])
def extract(a, t, shape):
    out = a.gather(-1, t)
    return out.reshape(t.shape[0], *((1,) * (len(shape) - 1)))


class Net(nn.Module):
    def __init__(self, steps=10):
        super().__init__()
        betas = torch.linspace(1e-4, 0.02, steps)
        self.register_buffer("abar", torch.cumprod(1 - betas, 0))

    def forward(self, x, t):
        noise = torch.randn_like(x)
        a = extract(self.abar, t, x.shape)
        return a.sqrt() * x + (1 - a).sqrt() * noise


# %% diffusion_sampling_loop | torch.randn(2, 4)
class Net(nn.Module):
    def __init__(self, steps=4):
        super().__init__()
        self.steps = steps
        self.fc = nn.Linear(4, 4)

    @torch.no_grad()
    def forward(self, x):
        for t in reversed(range(self.steps)):
            eps = self.fc(x)
            x = x - eps / (t + 1)
            if t > 0:
                x = x + torch.randn_like(x) * math.sqrt(t)
        return x


# %% generator_argument | torch.randn(2, 4), torch.Generator()
def f(x, generator: torch.Generator):
    noise = torch.randn(x.shape, generator=generator)  # breaks: GB0055
    return x + noise


# %% manual_seed_in_step | torch.randn(2, 4)
def f(x):
    torch.manual_seed(0)  # breaks: GB0007
    return x + torch.randn(4)


# %% bn_momentum_schedule | torch.randn(4, 4), 3
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(4)

    def forward(self, x, epoch: int):
        self.bn.momentum = 0.1 / (1 + epoch)
        return self.bn(x)


# %% children_isinstance | torch.randn(4, 4)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())

    def forward(self, x):
        for m in self.body:
            if isinstance(m, nn.BatchNorm1d):
                continue
            x = m(x)
        return x


# %% list_of_modules_plain | torch.randn(4, 4)
blocks = [nn.Linear(4, 4), nn.Tanh()]


def f(x):
    for b in blocks:
        x = b(x)
    return x


# %% functools_cached_property | torch.randn(4, 4)
class Stats:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def mean(self):
        return self.x.mean(0)

    @functools.cached_property
    def centred(self):
        return self.x - self.mean


def f(x):
    s = Stats(x)
    return s.centred / s.centred.std()  # breaks: GB0142


# %% descriptor_clamped | torch.randn(4, 4)
class Clamped:
    def __set_name__(self, owner, name):
        self.key = "_" + name

    def __get__(self, obj, owner=None):
        return getattr(obj, self.key)

    def __set__(self, obj, value):
        setattr(obj, self.key, min(1.0, value))


class Knobs:
    gain = Clamped()

    def __init__(self):
        self.gain = 3.0


def f(x):
    k = Knobs()
    return x * k.gain


# %% singleton_registry | torch.randn(4, 4)
class Registry:
    _table: typing.ClassVar[dict] = {}

    @classmethod
    def register(cls, name):
        def deco(fn):
            cls._table[name] = fn
            return fn

        return deco

    @classmethod
    def get(cls, name):
        return cls._table[name]


@Registry.register("double")
def double(x):
    return x * 2


def f(x):
    return Registry.get("double")(x)


# %% tensor_or_none_arguments | torch.randn(4, 4)
def f(x, bias: typing.Optional[torch.Tensor] = None, mask=None):
    y = x @ x
    y = y + bias if bias is not None else y
    if mask is not None and mask.any():
        y = y.masked_fill(mask, 0)
    return y


# %% multi_return_tuple_flag | torch.randn(4, 4)
def split(x, return_aux=False):
    main = x.sum(0)
    return (main, x.var(0)) if return_aux else main


def f(x):
    a, b = split(x, return_aux=True)
    return a + b + split(x)


# %% cond_higher_order | torch.randn(4)
def f(x):
    return torch.cond(x.sum() > 0, lambda t: t + 1, lambda t: t - 1, (x,))


# %% vmap_over_batch | torch.randn(3, 4)
def score(row):
    return (row * torch.arange(4)).sum()


def f(x):
    return torch.vmap(score)(x)


# %% jacobian | torch.randn(3)
def f(x):
    return torch.func.jacrev(lambda t: t.sin() * t)(x)


# %% functional_call_params | torch.randn(3, 4)
net = nn.Linear(4, 4)


def f(x):
    params = {k: v * 2 for k, v in net.named_parameters()}
    return torch.func.functional_call(net, params, (x,))


# %% save_checkpoint_in_step | torch.randn(3, 4)
net = nn.Linear(4, 4)


def f(x, step: int = 0):
    y = net(x)
    if step % 10 == 0:
        torch.save(net.state_dict(), "_ckpt.pt")  # breaks: GB0007
    return y


# %% logging_info_shape | torch.randn(3, 4)
class Net(nn.Module):
    def forward(self, x):
        log.info("x %s", x.shape)  # breaks: GB0291
        return x.exp()


# %% warn_once_helper | torch.randn(3, 4)
_seen = set()


def warn_once(msg):
    if msg in _seen:
        return
    _seen.add(msg)
    log.warning(msg)  # breaks: GB0291


def f(x):
    y = x * 2
    warn_once("slow path")
    return y + 1


# %% torch_check | torch.randn(3, 4)
def f(x):
    torch._check(x.shape[0] == 3)
    return x.sum(0)


# %% item_checked_size | torch.tensor(3), torch.randn(10)
def f(n, x):
    k = n.item()  # breaks: GB0124
    torch._check(k >= 0)
    torch._check(k < 10)
    return x[:k].sum()
