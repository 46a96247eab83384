"""Programs that compile a module, or a function that calls one, each in another way: its helper is always followed.

Dynamo does not run them: they are about what the program hands to it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project

HEAD = """\
import contextlib, copy, functools, types
from dataclasses import dataclass
from typing import NamedTuple
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
    def helper(self, x):
        print("helper")
        return self.linear(x)
    def forward(self, x, flag=False):
        return self.helper(x)
"""
PRINT = 11
CASES = """
# -- partial-unbound
f = torch.compile(functools.partial(Net.forward, Net()))

# -- func-of-bound
f = torch.compile(Net().forward.__func__)

# -- methodtype
n = Net()
f = torch.compile(types.MethodType(Net.forward, n))

# -- call
f = torch.compile(Net().__call__)

# -- lambda-args
n = Net()
f = torch.compile(lambda *a, **k: n(*a, **k))

# -- partial-model
f = torch.compile(functools.partial(Net(), flag=True))

# -- class-forward
n = Net()
f = torch.compile(n.__class__.forward)

# -- type-forward
n = Net()
f = torch.compile(type(n).forward)

# -- getattr
n = Net()
f = torch.compile(getattr(n, "forward"))

# -- deepcopy
n = copy.deepcopy(Net())
f = torch.compile(n)

# -- wraps
def deco(fn):
    @functools.wraps(fn)
    def w(*a, **k):
        return fn(*a, **k)
    return w
f = torch.compile(deco(Net().forward))

# -- closure-net
def make():
    n = Net()
    def step(x):
        return n(x)
    return step
f = torch.compile(make())

# -- dict-of-nets
nets = {"a": Net()}
@torch.compile
def f(x):
    return nets["a"](x)

# -- list-of-nets
nets = [Net(), Net()]
@torch.compile
def f(x):
    for n in nets:
        x = n(x)
    return x

# -- global-net
net = Net()
@torch.compile
def f(x):
    return net.forward(x)

# -- arg-net
@torch.compile
def f(net: Net, x):
    return net(x)

# -- arg-net-called
@torch.compile
def f(net, x):
    return net(x)
f(Net(), torch.ones(3))

# -- arg-module
@torch.compile
def f(net: nn.Module, x):
    return net(x)
f(Net(), torch.ones(3))

# -- kw-net
@torch.compile
def f(x, *, net):
    return net(x)
f(torch.ones(3), net=Net())

# -- tuple-net
@torch.compile
def f(x, nets):
    a, b = nets
    return a(x)
f(torch.ones(3), (Net(), Net()))

# -- sequential
f = torch.compile(nn.Sequential(Net(), nn.ReLU()))

# -- moduledict
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ModuleDict({"a": Net()})
    def forward(self, x):
        for k in self.d:
            x = self.d[k](x)
        return x
f = torch.compile(M())

# -- setattr-name
class M(nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(2):
            setattr(self, f"n{i}", Net())
    def forward(self, x):
        for i in range(2):
            x = getattr(self, f"n{i}")(x)
        return x
f = torch.compile(M())

# -- add-module
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_module("n", Net())
    def forward(self, x):
        return self.n(x)
f = torch.compile(M())

# -- property
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self._n = Net()
    @property
    def n(self):
        return self._n
    def forward(self, x):
        return self.n(x)
f = torch.compile(M())

# -- super
class M(Net):
    def forward(self, x, flag=False):
        return super().forward(x)
f = torch.compile(M())

# -- mixin
class Mix:
    def run(self, x):
        return self.helper(x)
class M(Mix, Net):
    def forward(self, x, flag=False):
        return self.run(x)
f = torch.compile(M())

# -- classmethod-create
class M(Net):
    @classmethod
    def create(cls):
        return cls()
f = torch.compile(M.create())

# -- dataclass-holder
@dataclass
class H:
    net: Net
h = H(Net())
@torch.compile
def f(x):
    return h.net(x)

# -- namedtuple
class H(NamedTuple):
    net: nn.Module
h = H(Net())
f = torch.compile(h.net)

# -- factory-fn
def build(name):
    if name == "a":
        return Net()
    raise ValueError
f = torch.compile(build("a"))

# -- nested-closure-compile
class T:
    def __init__(self):
        self.n = Net()
        self.step = torch.compile(self._step)
    def _step(self, x):
        return self.n(x)
T()

# -- method-decorated
class T:
    def __init__(self):
        self.n = Net()
    @torch.compile
    def step(self, x):
        return self.n(x)

# -- static-decorated
class T:
    @staticmethod
    @torch.compile
    def step(n: Net, x):
        return n(x)

# -- classm-decorated
class T:
    n = Net()
    @classmethod
    @torch.compile
    def step(cls, x):
        return cls.n(x)

# -- vmap
n = Net()
f = torch.compile(torch.vmap(n))

# -- grad
n = Net()
f = torch.compile(torch.func.grad(lambda x: n(x).sum()))

# -- functional-call
n = Net()
f = torch.compile(lambda p, x: torch.func.functional_call(n, p, (x,)))

# -- checkpoint
n = Net()
@torch.compile
def f(x):
    return torch.utils.checkpoint.checkpoint(n, x, use_reentrant=False)

# -- map
n = Net()
@torch.compile
def f(xs):
    return list(map(n, xs))
f([torch.ones(3)])

# -- comprehension
n = Net()
@torch.compile
def f(xs):
    return [n(x) for x in xs]
f([torch.ones(3)])

# -- generator
n = Net()
def gen(xs):
    for x in xs:
        yield n(x)
@torch.compile
def f(xs):
    return list(gen(xs))
f([torch.ones(3)])

# -- contextmgr
@contextlib.contextmanager
def ctx():
    yield Net2
Net2 = Net()
@torch.compile
def f(x):
    with ctx() as n:
        return n(x)

# -- callable-obj
class C:
    def __init__(self):
        self.n = Net()
    def __call__(self, x):
        return self.n(x)
f = torch.compile(C())

# -- reduce
n = [Net(), Net()]
@torch.compile
def f(x):
    return functools.reduce(lambda a, m: m(a), n, x)

# -- getattr-default
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        n = getattr(self, "n", None)
        if n is not None:
            x = n(x)
        return x
f = torch.compile(M())

# -- modulelist-index
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.ns = nn.ModuleList(Net() for _ in range(3))
    def forward(self, x):
        return self.ns[-1](x)
f = torch.compile(M())

# -- zip
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.ns = nn.ModuleList(Net() for _ in range(3))
    def forward(self, x):
        for i, n in zip(range(3), self.ns):
            x = n(x)
        return x
f = torch.compile(M())

# -- children
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        for n in self.children():
            x = n(x)
        return x
f = torch.compile(M())

# -- ternary-net
class M(nn.Module):
    def __init__(self, a=True):
        super().__init__()
        self.n = Net() if a else nn.Identity()
    def forward(self, x):
        return self.n(x)
f = torch.compile(M())

# -- lazy-attr
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = None
    def build(self):
        self.n = Net()
    def forward(self, x):
        return self.n(x)
m = M()
m.build()
f = torch.compile(m)

# -- copy-of-args
def run(fn, *args, **kwargs):
    return fn(*args, **kwargs)
n = Net()
@torch.compile
def f(x):
    return run(n, x)

# -- registry
REG = {}
def reg(c):
    REG[c.__name__] = c
    return c
@reg
class M(Net):
    pass
f = torch.compile(REG["M"]())
"""
PROGRAMS = dict(re.findall(r"^# -- (\S+)\n((?:(?!# -- ).*\n)*)", CASES, re.MULTILINE))


def check_followed(folder: Path, program: str) -> None:
    """Check that the ``print`` in the helper is a certain break of a program, and that all of it was analysed."""
    (folder / "m.py").write_text(HEAD + program)
    interp = new_interpreter(Project([folder], root=folder), load("2.13"), {})
    search = find_entries(interp, assume="never")
    found = {each.event.span.line: each.event.confidence.value for each in trace(interp, search.entries)}
    assert (found.get(PRINT), search.unresolved) == ("certain", [])


@pytest.mark.parametrize("name", PROGRAMS)
def test_helper_is_followed(name: str, tmp_path: Path) -> None:
    check_followed(tmp_path, PROGRAMS[name])
