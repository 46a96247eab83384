"""Objects, classes, globals, and calls with wrong arguments."""

import torch


# %% tree_map | torch.randn(3)
def f(x):
    return torch.utils._pytree.tree_map(lambda t: t + 1, {"a": x})["a"]


# %% dc_factory | torch.randn(3)
import dataclasses


@dataclasses.dataclass
class DCF:
    a: list = dataclasses.field(default_factory=list)


def f(x):
    d = DCF()
    d.a.append(x)
    return d.a[0] + 1


# %% print_in_if_const | torch.randn(3)
def f(x):
    if x.shape[0] > 5:
        print("a")
    return x + 1


# %% env_debug | torch.randn(3)
import os


def f(x):
    if os.environ.get("ZZDBG"):
        print("a")
    return x + 1


# %% list_sort_t | torch.randn(3)
def f(x):
    l = [x, x + 1]
    l.sort(key=lambda t: -t.shape[0])
    return l[0] + 1


# %% max_over_shapes | torch.randn(3)
def f(x):
    return x + max((t.shape[0] for t in [x, x]))


# %% isinst_abc | torch.randn(3)
import abc


class Abst(abc.ABC):
    @abc.abstractmethod
    def f(self, x): ...


class Conc(Abst):
    def f(self, x):
        return x + 1


def f(x):
    return x + 1 if isinstance(Conc(), Abst) else x


# %% isinst_proto | torch.randn(3)
import abc
import typing


class Abst(abc.ABC):
    @abc.abstractmethod
    def f(self, x): ...


class Conc(Abst):
    def f(self, x):
        return x + 1


CONC = Conc()


@typing.runtime_checkable
class ProtoR(typing.Protocol):
    def f(self, x): ...


def f(x):
    return x + 1 if isinstance(CONC, ProtoR) else x


# %% generic_sub | torch.randn(3)
import typing


_T = typing.TypeVar("_T")


class Gen(typing.Generic[_T]):
    def __init__(self, a):
        self.a = a


def f(x):
    return Gen[int](x).a + 1  # breaks: GB0116, GB0147


# %% walk_mro | torch.randn(3)
import abc


class Abst(abc.ABC):
    @abc.abstractmethod
    def f(self, x): ...


class Conc(Abst):
    def f(self, x):
        return x + 1


def f(x):
    return x + len(Conc.__mro__)


# %% cls_name | torch.randn(3)
import abc


class Abst(abc.ABC):
    @abc.abstractmethod
    def f(self, x): ...


class Conc(Abst):
    def f(self, x):
        return x + 1


CONC = Conc()


def f(x):
    return x + len(type(CONC).__name__)


# %% self_class_name | torch.randn(3)
import abc


class Abst(abc.ABC):
    @abc.abstractmethod
    def f(self, x): ...


class Conc(Abst):
    def f(self, x):
        return x + 1


CONC = Conc()


def f(x):
    return x + len(CONC.__class__.__name__)


# %% fn_doc | torch.randn(3)
def s_abc(x):
    return x


def f(x):
    return x + 1 if s_abc.__doc__ is None else x


# %% obj_dict | torch.randn(3)
import abc


class Abst(abc.ABC):
    @abc.abstractmethod
    def f(self, x): ...


class Conc(Abst):
    def f(self, x):
        return x + 1


CONC = Conc()


def f(x):
    return x + len(CONC.__dict__)


# %% fn_attr | torch.randn(3)
def fa(x):
    return x


fa.count = 1


def f(x):
    return x + fa.count


# %% fn_attr_set | torch.randn(3)
def fa(x):
    return x


fa.count = 1


def f(x):
    fa.count += 1  # breaks: GB0467
    return x + fa.count


# %% nested_off | torch.randn(3)
def h2(y):
    y = y + 1
    print("a")  # breaks: GB0059
    return y + 2


def f(x):
    y = x * 2
    y = h2(y)
    return y * 3


# %% one_op_then_attr | torch.randn(3)
class BP:
    @property
    def p(self):
        print("a")  # breaks: GB0059
        return 1


def f(x):
    y = x + 1
    return y + BP().p


# %% deque_glob | torch.randn(3)
import collections


DG = collections.deque([1, 2])


def f(x):
    DG.append(3)
    return x + 1


# %% typing_cast_bad | torch.randn(3)
import typing


def f(x):
    import typing

    return typing.cast(x)  # breaks: GB7312


# %% neg_obj | torch.randn(3)
import decimal


NEG = decimal.Decimal(3)


def f(x):
    return x + -NEG  # breaks: GB0156


# %% int_dec | torch.randn(3)
import decimal


NEG = decimal.Decimal(3)


def f(x):
    return x + int(NEG)  # breaks


# %% kwonly_bad | torch.randn(3)
def kw(x):
    return x + 1


def f(x):
    return kw(x, b=3)  # breaks: GB7312


# %% partial_noargs | torch.randn(3)
import functools


def f(x):
    import functools

    return functools.partial()  # breaks: GB0260


# %% nditem | torch.randn(3)
import numpy as np


def f(x):
    import numpy as np

    return x + np.dtype(x)  # breaks: GB0300


# %% class_assign | torch.randn(3)
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


class Q:
    pass


def f(x):
    P.__class__ = Q  # breaks: GB4271
    return x + 1


# %% except_expr | torch.randn(3)
def exc_t():
    return KeyError


def f(x):
    try:
        {}["a"]
    except exc_t():
        return x + 1


# %% del_read | torch.randn(3)
class Pp:
    pass


def f(x):
    o = Pp()
    o.a = 1
    del o.a
    return x + getattr(o, "a", 2)


# %% undef_local | torch.randn(3)
def f(x):
    if False:
        y = 1
    return x + y  # breaks: GB0011


# %% star_nonlist | torch.randn(3)
def kw2(a):
    return 1


def f(x):
    return kw2(*{"a": 1}) + x


# %% gen_method_glob | torch.randn(3)
GEN = (i for i in [1, 2, 3, 4])


def f(x):
    return x + GEN.__next__()  # breaks: GB0253


# %% ndarray_ver | torch.randn(3)
def f(x):
    return x.numpy().__version__  # breaks: GB0159


# %% check_outer | torch.randn(3)
MSG = lambda: "bad"


def f(x):
    torch._check(x.shape[0] == 3, MSG)  # breaks: GB9840
    return x + 1


# %% mod_in_hop | torch.randn(3)
import torch.nn as nn


class _mh(nn.Module):
    def forward(self, x):
        self.q = x + 1  # breaks: GB0067
        return self.q


mh = _mh()


def f(x):
    return torch.utils.checkpoint.checkpoint(mh, x, use_reentrant=False)


# %% setattr_nc | torch.randn(3)
import random


class OG_:
    pass


OG = OG_()


def f(x):
    setattr(OG, random.choice("ab"), 1)  # breaks: GB0007
    return x + 1


# %% getattr_nc | torch.randn(3), 'a'
class _O2:
    a = 1


OG2 = _O2()


def f(x, n):
    return x + getattr(OG2, n)


# %% hasattr_dictsub | torch.randn(3)
class Dd(dict):
    pass


def f(x):
    d = Dd()
    return x + 1 if hasattr(d, "foo") else x


# %% mp_after_mut | torch.randn(3)
import types


DX = {"a": 1}
MPX = types.MappingProxyType(DX)


def f(x):
    DX["q"] = 1
    return x + MPX["a"]  # breaks: GB0198


# %% mp_ret | torch.randn(3)
import types


DX = {"a": 1}
MPX = types.MappingProxyType(DX)


def f(x):
    return (MPX, x + 1)


# %% mp_brk | torch.randn(3)
import types


DX = {"a": 1}
MPX = types.MappingProxyType(DX)


def f(x):
    m = MPX
    y = x + 1
    print("a")  # breaks: GB0059
    return y + m["a"]


# %% cls_dict_mut | torch.randn(3)
class O:
    pass


def f(x):
    d = O.__dict__
    O.zz = 1
    return x + len(d) * 0


# %% uuid | torch.randn(3)
def f(x):
    return x


# %% ds | torch.randn(3)
import functools


class O:
    pass


def f(x):
    return functools.partial(O)()


# %% del_attr_nn | torch.randn(3)
import torch.nn as nn


mm = nn.Linear(3, 3)


def f(x):
    del mm.zz
    return x
