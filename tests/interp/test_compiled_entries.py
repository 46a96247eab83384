"""Places that compile, in the forms of real projects, and the class or function behind each."""

from __future__ import annotations

import re
import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest

from gblint.entrypoints import module_scan
from gblint.entrypoints import search as search_module
from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.interp.evaluator.derived_classes import MAX_SUBCLASSES
from gblint.interp.evaluator.imported_objects import MAX_CHOICES
from gblint.interp.state import budget
from gblint.interp.tracer import underlying
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from gblint.values.objects import BuiltinMethod

HEAD = """
import abc
import argparse
import functools
import importlib
import pydoc
import torch
from torch import nn

class Base(nn.Module):
    pass

class A(Base):
    def forward(self, x):
        return x + 1

    def step(self, x):
        return x + 2

class B(Base):
    def forward(self, x):
        return x + 3

    def step(self, x):
        return x + 4

def f(x):
    return x + 1

def g(x):
    return x + 2
"""


def found(folder: Path, source: str) -> set[str]:
    """Return the names of the entry points, without the module ``m``."""
    (folder / "m.py").write_text(HEAD + source)
    interp = new_interpreter(Project([folder], root=folder), load("2.13"), {})
    search = find_entries(interp, assume="never")
    assert not search.problems, search.problems
    known = [e for e in search.entries if underlying(interp, e.target)[0] or isinstance(e.target, BuiltinMethod)]
    return {entry.point.name.removeprefix("m:") for entry in known}


def places(cases: str) -> dict[str, tuple[str, set[str]]]:
    """Return the code and the entry points of each case by its name, from texts like ``CASES``."""
    found = re.findall(r"^# -- (\S+): (.*)\n((?:(?!# -- ).*\n)*)", cases, re.MULTILINE)
    return {name: (code, set(names.split())) for name, names, code in found}


# Each case: its name, the entry points that it has, and its code.
CASES = """
# -- forward-that-replaces-itself: Lazy.forward
class Lazy(nn.Module):
    def __init__(self, mode=None):
        super().__init__()
        self.mode, self.compiled = mode, False

    def forward(self, x):
        if not self.compiled and self.mode is not None:
            self.forward = torch.compile(self.forward, mode=self.mode)
            self.compiled = True
        return x + 1

# -- string-default: f g
def main(mode="a"):
    if mode == "a":
        torch.compile(f)
    elif mode == "b":
        torch.compile(g)

# -- string-default-annotated: f g
def main(mode: str = "a"):
    h = {"a": f, "b": g}[mode]
    torch.compile(h)

# -- string-default-names-method: A.step
def main(model: A, name: str = "step"):
    torch.compile(getattr(model, name))

# -- tuple-default: g
def main(modes=("a",)):
    if "b" in modes:
        torch.compile(g)

# -- data-parallel: A
torch.compile(nn.DataParallel(A()))

# -- distributed: A
from torch.nn.parallel import DistributedDataParallel as DDP
torch.compile(DDP(A(), device_ids=[0]))

# -- sharded: A
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
model = FSDP(A())
model.compile()

# -- inner-module: A
model = nn.parallel.DistributedDataParallel(A())
torch.compile(model.module)

# -- fully-shard: A
from torch.distributed.fsdp import fully_shard
torch.compile(fully_shard(A()))

# -- parallelize: A
from torch.distributed.tensor.parallel import parallelize_module
torch.compile(parallelize_module(A(), None, {}))

# -- sync-batch-norm: A
torch.compile(nn.SyncBatchNorm.convert_sync_batchnorm(A()))

# -- modules-by-isinstance: A B
def c(model: nn.Module):
    for m in reversed(list(model.modules())):
        if isinstance(m, A) or isinstance(m, B):
            m.compile()

# -- modules-by-isinstance-not: A
def c(model: nn.Module):
    for m in model.modules():
        if not isinstance(m, A):
            continue
        m.compile()

# -- named-children: A B
def c(model):
    for name, m in model.named_children():
        if isinstance(m, (A, B)):
            setattr(model, name, torch.compile(m))

# -- mixin: C
class Mixin:
    pass
class C(nn.Module, Mixin):
    def forward(self, x):
        return x
def c(model: nn.Module):
    for m in model.modules():
        if isinstance(m, Mixin):
            torch.compile(m)

# -- compiler-or-not: f
def main(on):
    compile = torch.compile if on else lambda x: x
    compile(f)

# -- compiler-if-version: A
from packaging import version
class W(nn.Module):
    def __init__(self, m, on: bool = False):
        new = version.parse(torch.__version__) >= version.parse('2.0.0')
        compile = (torch.compile if new and on else lambda x: x)
        self.m = compile(m)
W(A(), True)

# -- optimize-local: main.h
def main(counter):
    @torch._dynamo.optimize(counter, nopython=True)
    def h(x):
        return x
    h(1)

# -- partial-compiler: f
fast = functools.partial(torch.compile, fullgraph=True)
h = fast(f)

# -- compiler-with-options: f
h = torch.compile(fullgraph=True)(f)

# -- rebinding: A.forward
def wrap(h):
    def wrapped(*args):
        return h(*args)
    return wrapped
b = A()
b.forward = wrap(torch.compile(b.forward))

# -- rebinding-in-function: A.forward A.step
def wrap(h):
    def wrapped(*args):
        return h(*args)
    return wrapped
def main(b: A):
    b.forward = wrap(torch.compile(b.forward))
    b.step = wrap(torch.compile(b.step))

# -- callers-outweigh-base: A
class Trainer:
    def fit(self, module: Base):
        self.m = torch.compile(module)
Trainer().fit(A())

# -- callers-outweigh-module: A
def fit(module: nn.Module):
    return torch.compile(module)
if __name__ == '__main__':
    fit(A())

# -- callers-through-helper: A B
def run(m):
    return torch.compile(m)
def check(m):
    return run(m.eval())
def test():
    check(A())
    check(B())

# -- abstract-method: Q.predict R.predict
class P(nn.Module, abc.ABC):
    @abc.abstractmethod
    def predict(self, x): ...
class Q(P):
    def predict(self, x):
        return x
class R(Q):
    def predict(self, x):
        return x
def wrap(p: P):
    p.predict = torch.compile(p.predict)

# -- abstract-forward: Q
class P(nn.Module):
    def forward(self, x):
        raise NotImplementedError
class Q(P):
    def forward(self, x):
        return x
def wrap(p: P):
    return torch.compile(p)

# -- base-without-forward: A B
def wrap(p: Base):
    return torch.compile(p)

# -- part-of-another-subclass: A Whole
class Part(Base):
    def forward(self, x):
        return x
class Narrow(Part):
    def __init__(self):
        super().__init__()
        self.inner = Part()
        self.other = A
class Whole(Base):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([Part(), B(), Narrow()])
    def forward(self, x):
        return self.parts[0](x)
def wrap(p: Base):
    return torch.compile(p)

# -- protocol: A.step
from typing import Protocol
class Steps(Protocol):
    def step(self, x): ...
def wrap(p: Steps):
    return torch.compile(p.step)
wrap(A())

# -- subclass-builds: A B
class T:
    def build(self):
        return pydoc.locate(self.name)()
    def setup(self):
        self.net = self.build()
        self.net = torch.compile(self.net)
class U(T):
    def build(self):
        return A()
class V(T):
    @staticmethod
    def build():
        return B()

# -- subclass-builds-too: A B
class T:
    def build(self):
        return A()
    def setup(self):
        self.net = torch.compile(self.build())
class U(T):
    def build(self):
        return B()

# -- abstract-builder: B
class T(abc.ABC):
    @abc.abstractmethod
    def build(self) -> nn.Module: ...
    def setup(self):
        self.net = torch.compile(self.build())
class U(T):
    def build(self):
        return B()

# -- none-then-set: A
class T:
    def __init__(self):
        self.net = None
    def load(self):
        self.net = A()
    def setup(self):
        self.net = torch.compile(self.net)

# -- set-from-outside: A
class T:
    net: nn.Module = None
    def setup(self):
        self.net = torch.compile(self.net)
def main():
    t = T()
    t.net = A()
    t.setup()

# -- from-pretrained: C
from some_library import Loaded
class C(Loaded, nn.Module):
    def forward(self, x):
        return x
model = C.from_pretrained('x')
model.compile()

# -- from-checkpoint-of-project: C
class C(nn.Module):
    @classmethod
    def from_checkpoint(cls, path):
        config = torch.load(path)
        return make(config)
    def forward(self, x):
        return x
torch.compile(C.from_checkpoint('x'))

# -- locate: A
torch.compile(pydoc.locate('m.A')())

# -- import-module: A
torch.compile(getattr(importlib.import_module('m'), 'A')())

# -- module-dict: nets:Large nets:Small
import nets
def main(name):
    torch.compile(nets.__dict__[name](3))

# -- getattr-of-module: nets:Large nets:Small
import nets
def main(name):
    torch.compile(getattr(nets, name)(3))

# -- globals: A B
def main(name):
    torch.compile(globals()[name]())

# -- argparse-choices: nets:Small
import nets
p = argparse.ArgumentParser()
p.add_argument('--arch', choices=['small'])
args = p.parse_args()
torch.compile(getattr(nets, args.arch)(3))

# -- argparse-default: nets:Large
import nets
def main():
    p = argparse.ArgumentParser()
    p.add_argument('--arch', default='large')
    args = p.parse_args()
    torch.compile(nets.__dict__[args.arch](3))

# -- registry-of-project: nets:Large nets:Small
import nets
model = nets.create(input())
torch.compile(model)

# -- registry-of-classes: C
class Registry:
    def __init__(self):
        self.table = {}
    def register(self, name):
        def deco(cls):
            self.table[name] = cls
            return cls
        return deco
    def build(self, cfg):
        cfg = dict(cfg)
        return self.table[cfg.pop('type')](**cfg)
MODELS = Registry()
@MODELS.register('c')
class C(A):
    pass
def main(cfg):
    torch.compile(MODELS.build(cfg.model).eval())

# -- hydra: A
import hydra
@hydra.main(config_path='conf')
def main(cfg):
    model = hydra.utils.instantiate(cfg.model)
    torch.compile(model)

# -- hydra-group: B
from hydra.utils import instantiate
def main(cfg):
    torch.compile(instantiate(cfg.arch).cuda())

# -- replaced-forward: A
def main(on, wrap):
    m = A()
    if on:
        m.forward = wrap(m.forward)
    torch.compile(m)

# -- hydra-affix: A
import hydra
def load(checkpoint, both=True):
    model = hydra.utils.instantiate(checkpoint.model_config)
    model = torch.optim.swa_utils.AveragedModel(model)
    return (model, checkpoint) if both is True else model
class Predictor:
    def __init__(self, path):
        self.model, checkpoint = load(torch.load(path))
        self.model.module.setup(checkpoint)
    def predict(self, x):
        self.model = torch.compile(self.model, dynamic=True)

# -- hydra-prefix: A
from hydra.utils import instantiate
class Recipe:
    def setup(self, cfg):
        self.model = self.make(cfg_model=cfg.model)
        torch.compile(self.model)
    def make(self, cfg_model):
        model = instantiate(cfg_model)
        return model

# -- hydra-nested-key: B
import hydra
def instantiate_from_config(config):
    return get_obj_from_str(config["target"])(**config.get("params", {}))
def get_obj_from_str(string):
    module, cls = string.rsplit(".", 1)
    return getattr(importlib.import_module(module), cls)
class Network(nn.Module):
    def __init__(self, network_config):
        self.net = torch.compile(instantiate_from_config(network_config))

# -- importer-of-default: A
PATH = "m.A"
def default(value, other):
    return value if value is not None else other
def get_obj_from_str(string):
    module, cls = string.rsplit(".", 1)
    return getattr(importlib.import_module(module), cls)
def main(path=None):
    torch.compile(get_obj_from_str(default(path, PATH))())

# -- main-by-name: A
torch.compile(getattr(importlib.import_module("__main__"), "A")())

# -- class-by-path: A
PATH = "m.Wrapper"
class Plain(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = torch.compile(net)
class Wrapper(Plain):
    def forward(self, x):
        return self.net(x)
def get_obj_from_str(string):
    module, cls = string.rsplit(".", 1)
    return getattr(importlib.import_module(module), cls)
def default(value, other):
    return value if value is not None else other
def main(path=None):
    return get_obj_from_str(default(path, PATH))(A())

# -- own-compile-with-other-options: A
class Trainer:
    def __init__(self, net):
        self.net = net
    def compile(self, loss, optimizer):
        self.net = torch.compile(self.net)
def main():
    trainer = Trainer(A())
    trainer.compile(loss="mse", optimizer="adam")

# -- registry-as-argument: A
from absent import Registry
MODELS = Registry("models")
@MODELS.register_module()
class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = A()
def build_module(cfg, builder: Registry, **kwargs):
    if cfg is None:
        return None
    return builder.build(dict(cfg, **kwargs))
def main(cfg):
    net = build_module(cfg.ae, MODELS, device=3).eval()
    torch.compile(net.encoder)

# -- returns-type: Q.step
class P(nn.Module, abc.ABC):
    @abc.abstractmethod
    def step(self, x): ...
class Q(P):
    def step(self, x):
        return x
def class_of(name: str) -> type[P]:
    return _class_of(name)
def _class_of(name):
    return importlib.import_module(name).build()
def main(name):
    net = class_of(name).from_pretrained(name).eval()
    torch.compile(net.step)

# -- returns-instance: A
def load(name) -> A:
    return eval(name)
torch.compile(load("x"))

# -- locate-class-in-code: A
class Plans:
    def __init__(self, path):
        self.plans = torch.load(path)
        if "arch" not in self.plans:
            network_class_name = "m.A"
            self.plans["arch"] = {"network_class_name": network_class_name}
    @property
    def arch_class(self) -> str:
        return self.plans["arch"]["network_class_name"]
def make(network_class_name):
    network_class = network_class_name
    cls = pydoc.locate(network_class)
    return cls()
def main(plans: Plans):
    torch.compile(make(plans.arch_class).to("cpu"))

# -- subclass-asserted: A
class Trainer:
    @staticmethod
    def network():
        return A()
def find(name):
    trainer = eval(name)
    assert issubclass(trainer, Trainer)
    return trainer
def main(name):
    torch.compile(find(name).network())

# -- method-of-one-class: A
class Trainer:
    @staticmethod
    def build_network(size):
        return A()
class Special(Trainer):
    @staticmethod
    def build_network(size):
        return Trainer.build_network(size)
def main(name):
    trainer = eval(name)
    torch.compile(trainer.build_network(3))

# -- method-of-two-classes: f
class Trainer:
    def build_network(self, size):
        return A()
class Other:
    def build_network(self, size):
        return B()
def main(name):
    trainer = eval(name)
    torch.compile(trainer.build_network(3))
torch.compile(f)

# -- abstract-class-made: Q.predict
class P(nn.Module, abc.ABC):
    @classmethod
    def from_pretrained(cls, path):
        config = torch.load(path)
        return cls(config)
    def __init__(self, config):
        super().__init__()
    @abc.abstractmethod
    def predict(self, x): ...
class Q(P):
    def predict(self, x):
        return x
def main(cls: type[P]):
    p = P.from_pretrained("x").eval()
    torch.compile(p.predict)

# -- parametrize: A B
import pytest
@pytest.mark.parametrize("cls", [A, pytest.param(B, id="b")])
@pytest.mark.parametrize("size", [1, 2])
def test_it(cls, size):
    torch.compile(cls())

# -- parametrize-pairs: A f
import pytest
CASES = [(A, 1), (lambda: f, 2)]
@pytest.mark.parametrize(("make", "size"), CASES)
class TestIt:
    def test_it(self, make, size):
        model = make()
        torch.compile(model)

# -- parametrize-computed: A B f g
import itertools
import pytest
CASES = [A]
@pytest.mark.parametrize("cls", CASES + [B])
def test_sum(cls: nn.Module):
    torch.compile(cls())
@pytest.mark.parametrize("function", [f] if torch.cuda.is_available() else [])
def test_choice(function):
    torch.compile(function)
@pytest.mark.parametrize("function, size", list(itertools.product([g], [1, 2])))
def test_product(function, size):
    torch.compile(function)

# -- parametrize-grows: A B
import pytest
CASES = [A]
CASES = CASES + [B]
@pytest.mark.parametrize("cls", CASES)
def test_it(cls):
    torch.compile(cls())

# -- parametrize-before-annotation: A
import pytest
@pytest.mark.parametrize("model", [A()])
def test_it(model: Base):
    torch.compile(model)

# -- decorator-by-hand: A.step f g B.forward
def main():
    torch.compile(torch.no_grad()(A().step))
    torch.compile(torch.inference_mode()(f), dynamic=True)
    torch.compile(unknown.decorator(3)(g))
    torch.compile(torch.set_grad_enabled(False)(B().forward))

# -- fixture: A B
import pytest
@pytest.fixture
def size():
    return 3
@pytest.fixture()
def model(size):
    return A()
class TestIt:
    @pytest.fixture
    def other(self):
        return B()
    def test_it(self, model, other):
        torch.compile(model)
        torch.compile(other)

# -- switch: A B
def main():
    on = False
    compile = False
    a = A()
    if on and compile:
        torch.compile(a)
compile = False
if compile:
    torch.compile(B())

# -- switch-of-object: A B
class T:
    def __init__(self):
        self.ready = False
        self.net = None
    def setup(self):
        if not self.ready:
            self.net = A()
            self.net = torch.compile(self.net)
            self.ready = True
        else:
            raise RuntimeError
class U(T):
    def setup(self):
        if not self.ready:
            self.net = torch.compile(B())
            self.ready = True

# -- guard-of-counts: f
def main(model: A):
    count = 0
    for module in model.modules():
        if isinstance(module, nn.LSTM):
            count += 1
    if count == 0:
        raise TypeError("no layer")
    torch.compile(f)

# -- no-switch: f
old = torch.__version__ < "1"
def main(flag):
    torch.compile(f)
    if old:
        torch.compile(g)
main(False)

# -- part-by-way-of-a-variable: A
class T:
    def __init__(self, model):
        self.model = model
    def setup(self):
        model = self.model
        return torch.compile(model)
T(A())

# -- part-by-way-of-a-method: A
class T:
    def __init__(self, model):
        self.model = model
    def get(self):
        return self.model
    def setup(self):
        return torch.compile(self.get())
T(A())

# -- part-with-or-without-a-wrapper: A
class T:
    def __init__(self, model):
        self.model = model
    def setup(self):
        inner = self.model.module if hasattr(self.model, "module") else self.model
        return torch.compile(inner)
T(A())

# -- object-of-a-classmethod: A.step C D
class C(Base):
    @classmethod
    def create(cls):
        return torch.compile(cls())
    def forward(self, x):
        return x
class D(C):
    pass
class E(C):
    @classmethod
    def create(cls):
        return torch.compile(A().step)

# -- result-of-an-abstract-method: A B
class Builder:
    def build(self):
        raise NotImplementedError
class First(Builder):
    def build(self):
        return A()
class Other(abc.ABC):
    @abc.abstractmethod
    def build(self): ...
    @property
    @abc.abstractmethod
    def net(self): ...
class Second(Other):
    def build(self):
        return A()
    @property
    def net(self):
        return B()
def main(builder: Builder, other: Other):
    torch.compile(builder.build())
    torch.compile(other.net)
class T:
    def __init__(self, other: Other):
        self.other = other
    def go(self):
        net = self.other.build()
        torch.compile(net)

# -- export-of-parameter: A
def e(model):
    torch._dynamo.export(model.cpu())
e(A())
"""
PLACES = places(CASES)

FILES = {
    "nets.py": """
        import torch
        _REGISTRY = {}
        def register(fn):
            _REGISTRY[fn.__name__] = fn
            return fn
        def create(name, **kwargs):
            return _REGISTRY[name](**kwargs)
        class Small(torch.nn.Module):
            def __init__(self, size=1):
                super().__init__()
            def forward(self, x):
                return x
        class Large(torch.nn.Module):
            def __init__(self, size=1):
                super().__init__()
            def forward(self, x):
                return x
        @register
        def small(size=1, **kwargs):
            return Small(size)
        @register
        def large(size=1, **kwargs):
            return Large(size)
    """,
    "conf/config.yaml": "model:\n  _target_: m.A\nnetwork_config:\n  target: m.B\n",
    "conf/optimizer.yaml": "optimizer:\n  _target_: torch.optim.SGD\n",
    "conf/arch/b.yaml": "_target_: 'm.B'\n",
}


@pytest.mark.parametrize("name", PLACES)
def test_place(name: str, tmp_path: Path) -> None:
    if name == "no-switch" and find_spec("torch") is None:
        pytest.skip("depends on the version of torch that is installed")
    source, expected = PLACES[name]
    files = FILES if any(word in source for word in ("nets", "hydra")) else {}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(textwrap.dedent(text).lstrip())
    assert found(tmp_path, source) == expected


def test_the_nearest_configurations_count(tmp_path: Path) -> None:
    """Each program of a repository has configurations of its own."""
    main = "import m\nfrom torch import compile\ndef main(cfg):\n    compile(instantiate(cfg.model))\n"
    files = {
        "m.py": f"{HEAD}class B(A):\n    pass\nclass C(A):\n    pass\n",
        "one/conf/model/b.yaml": "_target_: m.B\n",
        "one/src/train.py": f"from hydra.utils import instantiate\n{main}",
        "two/conf.yaml": "model:\n  _target_: m.C\n",
        "two/train.py": f"from hydra.utils import instantiate\n{main}",
        "shared/train.py": f"from hydra.utils import instantiate\n{main}",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never")
    compiled: dict[str, list[str]] = {}
    for each in search.entries:
        compiled.setdefault(Path(each.point.path).relative_to(tmp_path).parts[0], []).append(each.point.name)
    assert compiled == {"one": ["m:B"], "two": ["m:C"], "shared": ["m:B", "m:C"]}


def test_many_choices(tmp_path: Path) -> None:
    """The report names a registry with more entries than are followed."""
    kinds = "".join(f"@register\ndef net{n}():\n    return N{n}()\nclass N{n}(A):\n    pass\n" for n in range(40))
    table = "TABLE = {}\ndef register(fn):\n    TABLE[fn.__name__] = fn\n    return fn\n"
    (tmp_path / "m.py").write_text(f"{HEAD}{table}{kinds}def main(name):\n    torch.compile(TABLE[name]())\n")
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never")
    assert len(search.entries) == MAX_CHOICES
    assert [(each.reason, each.partly) for each in search.unresolved] == [("factory", True)]


def test_many_subclasses(tmp_path: Path) -> None:
    """The report names an abstract class with more subclasses than are followed."""
    kinds = "".join(f"class N{n}(Base):\n    def forward(self, x):\n        return x\n" for n in range(40))
    base = "class Base(nn.Module):\n    def forward(self, x):\n        raise NotImplementedError\n"
    main = "class Trainer:\n    def __init__(self, net: Base):\n        self.net = torch.compile(net)\n"
    (tmp_path / "m.py").write_text(f"{HEAD}{base}{kinds}{main}")
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never")
    assert len(search.entries) == MAX_SUBCLASSES
    assert [(each.reason, each.partly) for each in search.unresolved] == [("base-class", True)]


def test_a_call_of_a_model_does_not_use_up_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search goes on after the call of a model that takes long to evaluate."""
    monkeypatch.setattr(module_scan, "MAX_SEARCH_FUNCTION_STEPS", 10_000)
    monkeypatch.setattr(budget, "MAX_SEARCH_CALL_STEPS", 1_000)
    parts = "".join(f"def part{n}(x):\n" + "    x = x + 1\n" * 40 + "    return x\n" for n in range(100))
    calls = "".join(f"        x = part{n}(x)\n" for n in range(100))
    long = f"{parts}class Long(nn.Module):\n    def forward(self, x):\n{calls}        return x\n"
    main = "def make():\n    return A()\ndef main(x):\n    y = Long()(x)\n    torch.compile(make())(y)\n"
    (tmp_path / "m.py").write_text(f"{HEAD}{long}{main}")
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never")
    assert [each.point.name for each in search.entries] == ["m:A"]


def test_a_long_search_has_less_for_each_part() -> None:
    left = budget.StepBudget()
    left.limit_search(400_000)
    assert left.limit == 400_000
    left.steps = budget.MAX_SEARCH_STEPS - 1_000_000
    left.limit_search(400_000)
    assert left.limit - left.steps == 200_000
    left.steps = budget.MAX_SEARCH_STEPS + 1_000_000
    left.limit_search(400_000)
    assert left.limit - left.steps == budget.MIN_SEARCH_STEPS


def test_a_search_in_little_memory_has_one_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter that takes the place of another one goes on with its budget."""
    parts: list[int] = []
    limit_search = budget.StepBudget.limit_search

    def record(self: budget.StepBudget, steps: int) -> None:
        limit_search(self, steps)
        parts.append(self.limit - self.steps)

    monkeypatch.setattr(budget.StepBudget, "limit_search", record)
    monkeypatch.setattr(budget, "MAX_SEARCH_STEPS", 2_000)
    monkeypatch.setattr(budget, "MIN_SEARCH_STEPS", 10)
    monkeypatch.setattr(Project, "is_full", lambda _: True)
    monkeypatch.setattr(search_module, "exceed_memory", lambda _: True)
    body = "    f(1)\n" * 50
    for number in range(4):
        (tmp_path / f"m{number}.py").write_text(f"{HEAD}def main():\n{body}    torch.compile(f)\n")
    assert find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never").entries
    assert parts[3] < parts[2] < parts[1] < parts[0]


@pytest.mark.parametrize(
    ("method", "evaluated"),
    [("", False), ("class Own:\n    def compile(self, loss):\n        torch.compile(self)\n", True)],
)
def test_calls_of_a_method_that_torch_does_not_have(tmp_path: Path, method: str, evaluated: bool) -> None:
    """Code with ``compile(loss=...)`` is evaluated only if the project has a method of this name."""
    main = "def build():\n    return nn.Linear(3, 3)\nmodel = build()\nmodel.compile(loss='mse')\n"
    (tmp_path / "m.py").write_text(f"{HEAD}{method}{main}")
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    find_entries(interp, assume="never")
    assert ("build" in {summary.function for summary in interp.caches.summaries.values()}) is evaluated
