"""The standard library, logging, NumPy."""

import pathlib

import torch


# %% listdir | torch.randn(3)
import os


def f(x):
    return x + len(os.listdir("."))  # breaks: GB0007


# %% deepcopy_user | torch.randn(3)
import copy


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


PG = _P()


def f(x):
    return x + copy.deepcopy(PG).a


# %% copy_user | torch.randn(3)
import copy


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


PG = _P()


def f(x):
    return x + copy.copy(PG).a


# %% it_groupby_t | torch.randn(3)
import itertools


def f(x):
    return x + len(list(itertools.groupby([x, x], key=lambda t: t.sum())))  # breaks: GB0115, GB0152, GB0811


# %% inspect_isfn | torch.randn(3)
import inspect


def s_gc(x: torch.Tensor) -> torch.Tensor:
    return x


def f(x):
    return x + 1 if inspect.isfunction(s_gc) else x


# %% inspect_ismethod | torch.randn(3)
import inspect


def s_gc(x: torch.Tensor) -> torch.Tensor:
    return x


def f(x):
    return x + 1 if inspect.ismethod(s_gc) else x


# %% threadlocal | torch.randn(3)
import threading


TL = threading.local()


def f(x):
    return x + getattr(TL, "a", 1)


# %% typing_hints | torch.randn(3)
import typing


def s_gc(x: torch.Tensor) -> torch.Tensor:
    return x


def f(x):
    return x + len(typing.get_type_hints(s_gc))


# %% isinst_callable | torch.randn(3)
import collections


def s_gc(x: torch.Tensor) -> torch.Tensor:
    return x


def f(x):
    return x + 1 if isinstance(s_gc, collections.abc.Callable) else x


# %% array | torch.randn(3)
import array


def f(x):
    return x + array.array("i", [1])[0]  # breaks: GB0147, GB4880


# %% asyncio_run | torch.randn(3)
import asyncio


def f(x):

    async def f():
        return x + 1

    return asyncio.run(f())  # breaks: GB0007


# %% thread_start | torch.randn(3)
import threading


def f(x):
    t = threading.Thread(target=lambda: None)  # breaks: GB0007
    t.start()  # breaks: GB0142
    t.join()  # breaks: GB0007
    return x + 1


# %% sympy | torch.randn(3)
def f(x):
    import sympy

    return x + int(sympy.Integer(3))


# %% from_numpy_notrace | torch.randn(3)
import numpy as np


GA = np.ones(3, dtype=np.float32)
torch._dynamo.config.trace_numpy = False


def f(x):
    return torch.from_numpy(GA) + x  # breaks: GB0231


# %% nonstrict_item | torch.randn(3)
@torch._dynamo.nonstrict_trace
def ns_item(x):
    return x.sum().item()  # breaks: GB0124


def f(x):
    return x + ns_item(x)  # breaks: GB0251


# %% nonstrict_badin | torch.randn(3)
class _C:
    pass


CC = _C()


@torch._dynamo.nonstrict_trace
def ns_c(x, c):
    return x + 1


def f(x):
    return ns_c(x, CC)  # breaks: GB0236


# %% leaf | torch.randn(3)
@torch._dynamo.decorators.leaf_function
def lf(x):
    return (x + 1,)


@lf.register_fake
def _lf_fake(x):
    return (torch.empty_like(x),)


def f(x):
    return lf(x)[0] * 2


# %% leaf_nofake | torch.randn(3)
@torch._dynamo.decorators.leaf_function
def lf2(x):
    return (x + 1,)


def f(x):
    return lf2(x)[0]  # breaks


# %% path_open | torch.randn(3)
def read(path):
    with path.open() as file:  # breaks: GB0007, GB0142
        found = list(map(float, file.read().split() or [str(print("empty"))[:0] or 2]))
    return found


def f(x):
    return x + read(pathlib.Path("/dev/null"))[0]


# %% path_calls_in_file | torch.randn(3)
def scaled(x):
    if x.sum() > 100:  # breaks: GB0170
        x = x * 2
    return x


def f(x):
    x = x + 1
    with open("/dev/null") as file:  # breaks: GB0059, GB0142
        x = scaled(x)
        print(file.read())
    return x
