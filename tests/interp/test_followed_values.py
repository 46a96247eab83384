"""Modules that compiled code keeps, finds and calls in the ways of Python: their code is always followed."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

from tests.interp.snippets import breaks
from tests.interp.test_followed_modules import HEAD, check_followed

CASES = """
# -- dict-get
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = {"a": Net()}
        self.n = self.d["a"]
    def forward(self, x):
        return self.d.get("a")(x)
f = torch.compile(M())

# -- dict-setdefault
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        d = {}
        n = d.setdefault("a", self.n)
        return n(x)
f = torch.compile(M())

# -- sorted
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.ns = nn.ModuleList([Net()])
    def forward(self, x):
        for n in sorted(self.ns, key=lambda m: 1):
            x = n(x)
        return x
f = torch.compile(M())

# -- star-unpack
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.ns = nn.ModuleList([Net(), Net()])
    def forward(self, x):
        a, *b = self.ns
        for n in b:
            x = n(x)
        return x
f = torch.compile(M())

# -- walrus
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        if (n := self.n) is not None:
            x = n(x)
        return x
f = torch.compile(M())

# -- nested-def
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        def inner(y):
            return self.n(y)
        return inner(x)
f = torch.compile(M())

# -- default-arg
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        def inner(y, n=self.n):
            return n(y)
        return inner(x)
f = torch.compile(M())

# -- kwargs-forward
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        def inner(**k):
            return self.n(**k)
        return inner(x=x)
f = torch.compile(M())

# -- getitem-class
class C:
    def __init__(self):
        self.n = Net()
    def __getitem__(self, i):
        return self.n
c = C()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return c[0](x)
f = torch.compile(M())

# -- iter-class
class C:
    def __init__(self):
        self.n = Net()
    def __iter__(self):
        yield self.n
c = C()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        for n in c:
            x = n(x)
        return x
f = torch.compile(M())

# -- enter-class
class C:
    def __init__(self):
        self.n = Net()
    def __enter__(self):
        return self.n
    def __exit__(self, *a):
        return None
c = C()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        with c as n:
            return n(x)
f = torch.compile(M())

# -- enum-dispatch
import enum
class K(enum.Enum):
    A = 1
    B = 2
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = K.A
        self.n = Net()
    def forward(self, x):
        if self.k is K.A:
            return self.n(x)
        return x
f = torch.compile(M())

# -- match
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = "a"
        self.n = Net()
    def forward(self, x):
        match self.k:
            case "a":
                return self.n(x)
            case _:
                return x
f = torch.compile(M())

# -- lambda-dict
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
        self.ops = {"a": lambda y: self.n(y)}
    def forward(self, x):
        return self.ops["a"](x)
f = torch.compile(M())

# -- finally
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        try:
            y = x + 1
        finally:
            x = self.n(x)
        return x
f = torch.compile(M())

# -- while-else
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        i = 0
        while i < 2:
            i += 1
        else:
            x = self.n(x)
        return x
f = torch.compile(M())

# -- yield-from
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.ns = nn.ModuleList([Net()])
    def forward(self, x):
        def g():
            yield from self.ns
        for n in g():
            x = n(x)
        return x
f = torch.compile(M())

# -- chain
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.ModuleList([Net()])
        self.b = nn.ModuleList([Net()])
    def forward(self, x):
        import itertools
        for n in itertools.chain(self.a, self.b):
            x = n(x)
        return x
f = torch.compile(M())

# -- islice
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.ModuleList([Net(), Net()])
    def forward(self, x):
        import itertools
        for n in itertools.islice(self.a, 1):
            x = n(x)
        return x
f = torch.compile(M())

# -- ordereddict-seq
class M(nn.Module):
    def __init__(self):
        super().__init__()
        from collections import OrderedDict
        self.s = nn.Sequential(OrderedDict([("a", Net()), ("b", nn.ReLU())]))
    def forward(self, x):
        return self.s(x)
f = torch.compile(M())

# -- seq-append
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential()
        self.s.append(Net())
    def forward(self, x):
        return self.s(x)
f = torch.compile(M())

# -- seq-add-module
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential()
        self.s.add_module("a", Net())
    def forward(self, x):
        return self.s(x)
f = torch.compile(M())

# -- seq-slice
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential(Net(), nn.ReLU())
    def forward(self, x):
        return self.s[:1](x)
f = torch.compile(M())

# -- seq-attr
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential(Net(), nn.ReLU())
    def forward(self, x):
        for l in self.s:
            x = l(x)
        return x
f = torch.compile(M())

# -- list-extend
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.ModuleList()
        self.l.extend([Net()])
    def forward(self, x):
        for n in self.l:
            x = n(x)
        return x
f = torch.compile(M())

# -- list-insert
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.ModuleList([nn.ReLU()])
        self.l.insert(0, Net())
    def forward(self, x):
        for n in self.l:
            x = n(x)
        return x
f = torch.compile(M())

# -- list-iadd
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.ModuleList()
        self.l += [Net()]
    def forward(self, x):
        for n in self.l:
            x = n(x)
        return x
f = torch.compile(M())

# -- list-slice
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.ModuleList([Net(), Net()])
    def forward(self, x):
        for n in self.l[1:]:
            x = n(x)
        return x
f = torch.compile(M())

# -- moddict-items
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ModuleDict({"a": Net()})
    def forward(self, x):
        for k, n in self.d.items():
            x = n(x)
        return x
f = torch.compile(M())

# -- moddict-values
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ModuleDict()
        self.d["a"] = Net()
    def forward(self, x):
        for n in self.d.values():
            x = n(x)
        return x
f = torch.compile(M())

# -- moddict-update
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ModuleDict()
        self.d.update({"a": Net()})
    def forward(self, x):
        return self.d["a"](x)
f = torch.compile(M())

# -- moddict-attr
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ModuleDict({"a": Net()})
    def forward(self, x):
        return self.d.a(x)
f = torch.compile(M())

# -- moddict-in
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ModuleDict({"a": Net()})
    def forward(self, x):
        if "a" in self.d:
            x = self.d["a"](x)
        return x
f = torch.compile(M())

# -- modules-dict
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        return self._modules["n"](x)
f = torch.compile(M())

# -- named-children
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        for name, c in self.named_children():
            x = c(x)
        return x
f = torch.compile(M())

# -- get-submodule
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        return self.get_submodule("n")(x)
f = torch.compile(M())

# -- namespace
ns = types.SimpleNamespace(n=Net())
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return ns.n(x)
f = torch.compile(M())

# -- cast
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        from typing import cast
        return cast(nn.Module, self.n)(x)
f = torch.compile(M())

# -- deque
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        from collections import deque
        d = deque([self.n])
        return d.popleft()(x)
f = torch.compile(M())

# -- list-pop
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.ns = nn.ModuleList([Net()])
    def forward(self, x):
        l = list(self.ns)
        return l.pop()(x)
f = torch.compile(M())

# -- tuple-index
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
        self.t = (self.n, 1)
    def forward(self, x):
        return self.t[0](x)
f = torch.compile(M())

# -- nested-list
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
        self.t = [[self.n]]
    def forward(self, x):
        return self.t[0][0](x)
f = torch.compile(M())

# -- dict-comp
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.ns = nn.ModuleList([Net()])
    def forward(self, x):
        d = {i: n for i, n in enumerate(self.ns)}
        return d[0](x)
f = torch.compile(M())

# -- zip-star
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.ns = nn.ModuleList([Net()])
    def forward(self, x):
        pairs = [(n, 1) for n in self.ns]
        a, b = zip(*pairs)
        return a[0](x)
f = torch.compile(M())

# -- partialmethod
class P(Net):
    run = functools.partialmethod(Net.forward, flag=True)
p = P()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return p.run(x)
f = torch.compile(M())

# -- cached-property
class P(nn.Module):
    @functools.cached_property
    def n(self):
        return Net()
p = P()
p.n
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = p
    def forward(self, x):
        return self.p.n(x)
f = torch.compile(M())

# -- lru-cache
@functools.lru_cache
def get():
    return net0
net0 = Net()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return get()(x)
f = torch.compile(M())

# -- global-dict
POOL = {}
POOL["a"] = Net()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return POOL["a"](x)
f = torch.compile(M())

# -- class-attr
class H:
    n = Net()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return H.n(x)
f = torch.compile(M())

# -- class-dict
class H:
    table = {"a": Net()}
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = H()
    def forward(self, x):
        return self.h.table["a"](x)
f = torch.compile(M())

# -- closure-list
def make():
    ns = [Net()]
    def get(i):
        return ns[i]
    return get
get = make()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return get(0)(x)
f = torch.compile(M())

# -- method-ref
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
        self.fn = self.n.helper
    def forward(self, x):
        return self.fn(x)
f = torch.compile(M())

# -- func-attr
def run(x):
    return run.net(x)
run.net = Net()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return run(x)
f = torch.compile(M())

# -- ternary-call
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
        self.k = True
    def forward(self, x):
        return (self.n if self.k else nn.Identity())(x)
f = torch.compile(M())

# -- or-default
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = None
        self.m = Net()
    def forward(self, x):
        n = self.n or self.m
        return n(x)
f = torch.compile(M())

# -- and-call
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        return self.n and self.n(x)
f = torch.compile(M())

# -- recursive
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        def rec(y, d):
            return self.n(y) if d == 0 else rec(y, d - 1)
        return rec(x, 2)
f = torch.compile(M())

# -- inherit-init
class B(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
class M(B):
    def __init__(self):
        super().__init__(Net())
    def forward(self, x):
        return self.n(x)
f = torch.compile(M())

# -- kw-init
class B(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        for k, v in kw.items():
            setattr(self, k, v)
    def forward(self, x):
        return self.n(x)
f = torch.compile(B(n=Net()))

# -- dict-update-self
class B(nn.Module):
    def __init__(self, **kw):
        super().__init__()
        self.__dict__.update(kw)
    def forward(self, x):
        return self.n(x)
f = torch.compile(B(n=Net()))

# -- post-init
@dataclass
class H:
    k: int = 1
    def __post_init__(self):
        self.n = Net()
h = H()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return h.n(x)
f = torch.compile(M())

# -- slots
class H:
    __slots__ = ("n",)
    def __init__(self):
        self.n = Net()
h = H()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return h.n(x)
f = torch.compile(M())

# -- getattr-hook
class W(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.inner = n
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("inner"), name)
    def forward(self, x):
        return self.helper(x)
f = torch.compile(W(Net()))

# -- call-super-call
class W(Net):
    def __call__(self, *a, **k):
        return super().__call__(*a, **k)
f = torch.compile(W())

# -- ops-from-tuple
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        op, arg = self.n, x
        return op(arg)
f = torch.compile(M())

# -- any-gen
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        return torch.stack([self.n(y) for y in x.unbind(0)])
f = torch.compile(M())

# -- chunk
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        return torch.cat([self.n(y) for y in x.chunk(2)])
f = torch.compile(M())

# -- split-apply
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        a, b = x.chunk(2)
        return self.n(a) + b
f = torch.compile(M())

# -- try-return
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        try:
            return self.n(x)
        except ValueError:
            return x
f = torch.compile(M())

# -- assert-then
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        assert x.ndim == 2, "bad"
        return self.n(x)
f = torch.compile(M())

# -- isinstance-branch
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        if isinstance(x, (list, tuple)):
            return [self.n(y) for y in x]
        return self.n(x)
f = torch.compile(M())

# -- shape-branch
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        if x.shape[0] > 1:
            return self.n(x)
        return x
f = torch.compile(M())

# -- training-branch
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        if self.training:
            return self.n(x)
        return x
f = torch.compile(M())

# -- del-attr
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
        self.z = 1
        del self.z
    def forward(self, x):
        return self.n(x)
f = torch.compile(M())

# -- global-stmt
N = None
def setup():
    global N
    N = Net()
setup()
class M(nn.Module):
    def __init__(self):
        super().__init__()
        pass
    def forward(self, x):
        return N(x)
f = torch.compile(M())

# -- import-alias
import sys
this = sys.modules[__name__]
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        return self.n(x)
f = torch.compile(M())

# -- type-call
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
    def forward(self, x):
        return type(self.n).forward(self.n, x)
f = torch.compile(M())

# -- getattr-str-method
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
        self.name = "helper"
    def forward(self, x):
        return getattr(self.n, self.name)(x)
f = torch.compile(M())

# -- fstring-attr
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.net_a = Net()
        self.kind = "a"
    def forward(self, x):
        return getattr(self, f"net_{self.kind}")(x)
f = torch.compile(M())

# -- format-attr
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.net_a = Net()
        self.kind = "a"
    def forward(self, x):
        return getattr(self, "net_{}".format(self.kind))(x)
f = torch.compile(M())

# -- percent-attr
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.net_0 = Net()
    def forward(self, x):
        for i in range(1):
            x = getattr(self, "net_%d" % i)(x)
        return x
f = torch.compile(M())

# -- join-attr
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.net_a = Net()
    def forward(self, x):
        return getattr(self, "_".join(["net", "a"]))(x)
f = torch.compile(M())

# -- buffer-none
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = Net()
        self.register_buffer("b", None)
    def forward(self, x):
        if self.b is None:
            x = self.n(x)
        return x
f = torch.compile(M())

# -- module-none
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_module("n", None)
        self.n = Net()
    def forward(self, x):
        return self.n(x)
f = torch.compile(M())

# -- sequential-with-attributes
class T(nn.Sequential):
    def __init__(self):
        super().__init__()
        self.n = Net()
        self.r = nn.ReLU()
f = torch.compile(T())
"""
PROGRAMS = dict(re.findall(r"^# -- (\S+)\n((?:(?!# -- ).*\n)*)", CASES, re.MULTILINE))


@pytest.mark.parametrize("name", PROGRAMS)
def test_code_is_followed(name: str, tmp_path: Path) -> None:
    check_followed(tmp_path, PROGRAMS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_agrees(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each program runs, and breaks."""
    torch = pytest.importorskip("torch")
    (tmp_path / "followed_values.py").write_text(
        (HEAD + PROGRAMS[name]).replace("torch.compile(", 'torch.compile(backend="eager")(')
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "followed_values", raising=False)
    torch._dynamo.reset()
    counters = torch._dynamo.utils.counters
    counters.clear()
    importlib.import_module("followed_values").f(torch.ones(2, 3))
    assert counters["graph_break"]


MIXED = """
import mystery

def f(x, tensor, first, second):
    kind = tensor if first else {other} if second else mystery.read()
    if kind == mystery.KIND:
        return x + 1
    return x
"""


@pytest.mark.parametrize(("other", "expected"), [('"joint"', []), ("x", [(6, "data-dependent-branch")])])
def test_mixed_data_that_may_be_a_string_is_no_tensor(other: str, expected: list[tuple[int, str]]) -> None:
    assert breaks(MIXED.format(other=other), "f") == expected
