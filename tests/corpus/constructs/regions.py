"""Decorators of Dynamo, higher-order operators, modules, autograd functions, inputs."""

import torch


# %% dont_skip | torch.randn(3)
@torch._dynamo.dont_skip_tracing
def dst(x):
    return x + 1


def f(x):
    return dst(x) + 1


# %% egb_cm_brk | torch.randn(3)
def f(x):
    y = x + 1
    with torch._dynamo.error_on_graph_break(True):
        print("a")  # breaks: GB0059
    return y


# %% mark_dynamic | torch.randn(3)
def f(x):
    torch._dynamo.mark_dynamic(x, 0)  # breaks
    return x + 1


# %% lib_op_nofake | torch.randn(3)
_lib = torch.library.Library("kb2", "FRAGMENT")
try:
    _lib.define("bar(Tensor x) -> Tensor")
    _lib.impl("bar", lambda x: x + 1, "CPU")
except RuntimeError:
    pass


def f(x):
    return torch.ops.kb2.bar(x) + 1  # breaks: GB0090


# %% nonexist_op | torch.randn(3)
def f(x):
    return torch.ops.kbq.foo(x)  # breaks: GB0088


# %% cond_2 | torch.randn(3)
def f(x):
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))


# %% cond_mut | torch.randn(3)
def f(x):
    l = []

    def t(x):
        l.append(1)  # breaks: GB0067
        return x + 1

    return torch.cond(x.sum() > 0, t, lambda x: x - 1, (x,))


# %% cond_mismatch | torch.randn(3)
def f(x):
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: (x, x), (x,))  # breaks: GB0040


# %% cond_str | torch.randn(3)
def f(x):
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, ("a",))  # breaks


# %% map | torch.randn(3)
def f(x):
    return torch._higher_order_ops.map(lambda a: a + 1, x)


# %% hessian | torch.randn(3)
def f(x):
    return torch.func.hessian(lambda t: t.sin().sum())(x)


# %% functional_call | torch.randn(3)
import torch.nn as nn


LIN = nn.Linear(3, 3)


def f(x):
    return torch.func.functional_call(LIN, dict(LIN.named_parameters()), x)


# %% autograd_fn | torch.randn(3)
class AF(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def f(x):
    return AF.apply(x)


# %% autograd_fn_dirty | torch.randn(3)
class AFD(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)  # breaks: GB2019
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


def f(x):
    y = x + 1
    return AFD.apply(y)


# %% autograd_fn_kw | torch.randn(3)
class AF(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class AFK(AF):
    pass


def f(x):
    return AFK.apply(x, k=2)  # breaks: GB4372


# %% new_module_user | torch.randn(3)
import torch.nn as nn


class MH(nn.Module):
    def __init__(self):
        super().__init__()  # breaks: GB0119
        self.w = nn.Parameter(torch.ones(3))  # breaks: GB0264

    def forward(self, x):
        return x + 1


def f(x):
    return MH()(x)


# %% bn | torch.randn(3)
import torch.nn as nn


bn = nn.BatchNorm1d(3)


def f(x):
    return bn(x[None].expand(2, 3))


# %% bn_track | torch.randn(3)
import torch.nn as nn


bn0 = nn.BatchNorm1d(3)


def f(x):
    return bn0(x[None].expand(2, 3)) + bn0.num_batches_tracked


# %% adam_step | torch.randn(3)
import torch.nn as nn


LIN = nn.Linear(3, 3)
opt2 = torch.optim.Adam(LIN.parameters())


def f(x):
    opt2.step()  # breaks: GB0025
    return x + 1


# %% scaler | torch.randn(3)
sc = torch.amp.GradScaler("cpu")


def f(x):
    return sc.scale(x)  # breaks: GB0008


# %% kl | torch.randn(3)
def f(x):
    return torch.distributions.kl_divergence(torch.distributions.Normal(x, 1.0), torch.distributions.Normal(x, 2.0))  # breaks: GB0059


# %% kl_categorical | torch.randn(3)
def f(x):
    p, q = torch.distributions.Categorical(logits=x), torch.distributions.Categorical(logits=x * 2)
    return torch.distributions.kl.kl_divergence(p, q)


# %% subtf | torch.randn(3)
import types


class SubTF(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


def f(x):
    return x.as_subclass(SubTF) + 1


# %% flag_or | torch.randn(3)
import enum


class FL(enum.Flag):
    A = 1
    B = 2


def f(x):
    return x + (FL.A | FL.B).value


# %% out_mismatch | torch.randn(3), torch.randn(2)
def f(x, y):
    torch.add(x, x, out=y)  # breaks: GB0247
    return y


# %% in_dict | {'a': torch.randn(3)}
def f(d):
    return d["a"] + 1


# %% in_dict_tkey | {torch.ones(1): torch.ones(1)}
def f(d):
    return sum(d.values())


# %% in_deque_ml | collections.deque([1], maxlen=2), torch.randn(3)
from collections import deque
import collections


def f(d, x):
    d.append(x)
    return x + 1


# %% in_gen | (i for i in [1]), torch.randn(3)
def f(g, x):
    return x + next(g)  # breaks: GB4347


# %% in_zip | zip([1], [2]), torch.randn(3)
def f(g, x):
    return x + next(g)[0]  # breaks: GB4347


# %% in_quant | torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)
def f(x):
    return x.dequantize()  # breaks: GB0064


# %% in_obj | _On()
class _On:
    def __init__(self):
        self.t = torch.randn(3)
        self.n = 2


def f(o):
    return o.t + o.n


# %% obj_del_attr | _On()
class _On:
    def __init__(self):
        self.t = torch.randn(3)
        self.n = 2


def f(o):
    del o.n
    return o.t + 1
