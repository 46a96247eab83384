"""Calls of builtins and of the standard library, comparisons, asserts."""

import torch


# %% cuda_avail | torch.randn(3)
def f(x):
    return x + 1 if torch.cuda.is_available() else x


# %% save | torch.randn(3)
def f(x):
    torch.save(x, "_x.pt")  # breaks: GB0007
    return x + 1


# %% load | torch.randn(3)
torch.save(torch.ones(3), "_y.pt")


def f(x):
    return torch.load("_y.pt") + x  # breaks: GB0007


# %% pt_in | torch.randn(3)
class _P:
    def __init__(self):
        self.a = 1

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return 1

    def __iter__(self):
        return iter([1, 2])

    def __contains__(self, i):
        return True


P = _P()


def f(x):
    return x + 1 if 1 in P else x


# %% td | torch.randn(3)
import typing


class TDT(typing.TypedDict):
    a: int


def f(x):
    return x + TDT(a=1)["a"]


# %% meta | torch.randn(3)
class _Meta(type):
    def __call__(cls, *a):
        return super().__call__(*a)


class WM(metaclass=_Meta):
    def __init__(self, a):
        self.a = a


def f(x):
    return WM(x).a + 1


# %% prop | torch.randn(3)
class Prop:
    def __init__(self, a):
        self._a = a

    @property
    def a(self):
        return self._a

    @a.setter
    def a(self, v):
        self._a = v


def f(x):
    p = Prop(x)
    p.a = x + 1
    return p.a


# %% ga | torch.randn(3)
import numpy as np


GA = np.ones(3, dtype=np.float32)


class GA:
    def __getattr__(self, n):
        return 3


def f(x):
    return x + GA().foo


# %% gab | torch.randn(3)
class GAB:
    def __getattribute__(self, n):
        return object.__getattribute__(self, n)  # breaks: GB0156


def f(x):
    return x + len(str(GAB().__class__.__name__))  # breaks: GB0147


# %% sa | torch.randn(3)
class SA:
    def __setattr__(self, n, v):
        object.__setattr__(self, n, v)


def f(x):
    s = SA()
    s.a = x
    return s.a + 1


# %% super | torch.randn(3)
class Base:
    def f(self, x):
        return x + 1


class Der(Base):
    def f(self, x):
        return super().f(x) * 2


def f(x):
    return Der().f(x)


# %% issub | torch.randn(3)
class Base:
    def f(self, x):
        return x + 1


class Der(Base):
    def f(self, x):
        return super().f(x) * 2


def f(x):
    return x + 1 if issubclass(Der, Base) else x


# %% sorted_tkey | torch.randn(3)
def f(x):
    return sorted([x, x + 1], key=lambda t: t.sum())[0]  # breaks: GB0207


# %% sorted_item | torch.randn(3)
def f(x):
    return sorted([x, x + 1], key=lambda t: t.sum().item())[0]  # breaks: GB0124


# %% max_key | torch.randn(3)
def f(x):
    return max([x, x + 1], key=lambda t: t.shape[0])  # breaks: GB0193


# %% max_tkey | torch.randn(3)
def f(x):
    return max([x, x + 1], key=lambda t: t.sum())  # breaks: GB0193


# %% round_2 | torch.randn(3)
def f(x):
    return x + round(2.5)


# %% complex | torch.randn(3)
def f(x):
    return x + complex(1, 2)


# %% format_t | torch.randn(3)
def f(x):
    return x + len(format(x))  # breaks


# %% list_index_t2 | torch.randn(3)
def f(x):
    return x + [x + 1, x].index(x)  # breaks: GB0170


# %% list_in_t | torch.randn(3)
def f(x):
    return x + 1 if x in [x] else x  # breaks: GB0170


# %% list_eq_t2 | torch.randn(3)
def f(x):
    return x + 1 if [x] == [x + 1] else x  # breaks: GB6622


# %% tuple_eq_t | torch.randn(3)
def f(x):
    return x + 1 if (x, 1) == (x + 1, 1) else x  # breaks: GB6622


# %% cache | torch.randn(3)
import functools


@functools.cache
def cch(n):
    return n + 1


def f(x):
    return x + cch(1)


# %% async_call | torch.randn(3)
def f(x):

    async def f():
        return x + 1

    c = f()
    c.close()  # breaks: GB6270
    return x


# %% assert_t_nonstr | torch.randn(3)
def f(x):
    assert (x > 0).all(), 3
    return x + 1


# %% t_or_none | torch.randn(3)
def f(x):
    return x or None  # breaks: GB0170


# %% star_args_keep_self | torch.randn(3)
def passed_on(function):
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def passed_on_by_parts(function):
    def wrapper(*args, **kwargs):
        self = args[0]
        return function(self, *args[1:], **kwargs)

    return wrapper


def passed_on_unpacked(function):
    def wrapper(*args):
        self, *others = args
        return function(self, *others)

    return wrapper


class Engine(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)

    @passed_on
    def forward(self, *inputs, **kwargs):
        return self.inner(self.cast(inputs))

    @passed_on_by_parts
    def cast(self, inputs):
        return self.cast_one(inputs[0])

    @passed_on_unpacked
    def cast_one(self, x):
        if hasattr(x, "double"):
            x = x.double()
        return x.float()


engine = Engine()


def f(*batch):
    return engine(*batch)
