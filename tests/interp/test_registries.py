"""Tables that a module fills after it has created them."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from gblint.config.settings import Config
from gblint.knowledge.version_choice import JUDGED
from gblint.pipeline.lint import LintRequest, lint
from tests.interp.snippets import breaks, check_first_break, confidences, run_whole

DECORATED = """
import torch
TABLE = {}

def register(name):
    def wrap(target):
        TABLE[name] = target
        return target
    return wrap

@register("one")
def one(x):
    return x.item()

@register("two")
class Two:
    def __call__(self, x):
        return x.nonzero()

@torch.compile
def main(x: torch.Tensor, kind: str):
    found = TABLE[kind]
    return found(x) if kind == "one" else found()(x)
"""


def test_registry_filled_by_a_decorator() -> None:
    assert breaks(DECORATED) == [(13, "tensor-to-python"), (18, "dynamic-shape")]


BY_NAME = """
import torch
from torch import nn

class Scale(nn.Module):
    def forward(self, x):
        return x * x.max().item()

scale = Scale

def get(identifier):
    if identifier is None:
        return None
    if callable(identifier):
        return identifier
    found = LOOKUP
    if found is None:
        raise ValueError("unknown: " + identifier)
    return found

class Net(nn.Module):
    def __init__(self, kind="scale"):
        super().__init__()
        self.layer = get(kind)()

    def forward(self, x: torch.Tensor):
        return self.layer(x)

net = torch.compile(Net(CHOICE))
"""


@pytest.mark.parametrize("lookup", ["globals().get(identifier)", "globals()[identifier]"])
def test_a_class_that_is_read_by_name_from_the_names_of_a_module(lookup: str) -> None:
    source = BY_NAME.replace("LOOKUP", lookup)
    assert breaks(source.replace("CHOICE", "")) == [(7, "tensor-to-python")]
    assert breaks(source.replace("CHOICE", "'Scale'")) == [(7, "tensor-to-python")]
    assert breaks(source.replace("CHOICE", "'absent'")) == []


@pytest.mark.parametrize(
    "filling",
    [
        'TABLE["one"] = one',
        'TABLE.update({"one": one})',
        "TABLE.update(one=one)",
        'for name, function in {"one": one}.items():\n    TABLE[name] = function',
        'if True:\n    TABLE["one"] = one',
    ],
)
def test_registry_filled_by_statements(filling: str) -> None:
    source = f"import torch\nTABLE = {{}}\ndef one(x):\n    return x.item()\n{filling}\n"
    source += "@torch.compile\ndef main(x: torch.Tensor):\n    return TABLE['one'](x)\n"
    assert breaks(source) == [(4, "tensor-to-python")]


LARGE = """
import torch
from collections import OrderedDict

NAMES = OrderedDict([{rows}])
NAMES.update({{"more": "item"}})
NAMES = OrderedDict(**{{"first": "tolist"}}, **NAMES)
KEYS = {{name: key for key, name in NAMES.items()}}

@torch.compile
def main(x: torch.Tensor):
    return getattr(x, {looked_up})()
"""


@pytest.mark.parametrize(
    ("looked_up", "broken"),
    [
        ("NAMES['k7']", False),
        ("NAMES['more']", True),
        ("NAMES['first']", True),
        ("NAMES[KEYS['item']]", True),
        ("NAMES[KEYS['relu']]", False),
    ],
)
def test_a_large_table_is_known_entry_by_entry(looked_up: str, broken: bool) -> None:
    rows = ", ".join(f'("k{number}", "relu")' for number in range(700))
    assert breaks(LARGE.format(rows=rows, looked_up=looked_up)) == ([(12, "tensor-to-python")] if broken else [])


BACKENDS = """
import torch
BACKENDS = []
MADE = {}
def register(backend):
    BACKENDS.append(backend)
def made(backend):
    if backend.__name__ not in MADE:
        MADE[backend.__name__] = backend()
    return MADE[backend.__name__]
class Numbers:
    kind = float
class Tensors:
    kind = torch.Tensor
    def __init__(self):
        print("made")
    def total(self, x):
        return x.sum().item()
register(Numbers)
if torch:
    register(Tensors)
@torch.compile
def main(x: torch.Tensor):
    for backend in BACKENDS:
        if isinstance(x, backend.kind):
            return made(backend).total(x)
"""


def test_a_list_filled_by_calls_and_a_table_filled_in_the_first_call() -> None:
    assert confidences(BACKENDS) == {16: "possible", 18: "certain"}


FIRST_CALLS = {
    "not in": """
        if key not in table:
            print("fill")
            table[key] = torch.arange(key)
    """,
    "get": """
        value = table.get(key)
        if value is None:
            print("fill")
            value = table[key] = torch.arange(key)
    """,
    "an early return": """
        if key in table:
            return x + table[key]
        print("fill")
        table[key] = torch.arange(key)
    """,
    "an early return of an assigned value": """
        if (value := table.get(key)) is not None:
            return x + value
        print("fill")
        value = torch.arange(key)
        table[key] = value
    """,
    "else": """
        if key in table:
            x = x + table[key]
        else:
            print("fill")
            table[key] = torch.arange(key)
    """,
}


@pytest.mark.parametrize("body", FIRST_CALLS.values(), ids=FIRST_CALLS)
def test_dynamo_breaks_only_while_the_table_lacks_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    dynamo = pytest.importorskip("torch._dynamo")
    text = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    source = "import torch\n\ntable = {%s}\n\ndef f(x):\n    key = x.shape[0]\n" + text + "\n    return x\n"
    with pytest.raises(dynamo.exc.Unsupported, match="print"):
        run_whole(tmp_path, monkeypatch, source % "", "f")
    run_whole(tmp_path, monkeypatch, source % "3: torch.arange(3)", "f")


@pytest.mark.parametrize("body", FIRST_CALLS.values(), ids=FIRST_CALLS)
def test_what_fills_a_table_of_the_module_runs_in_the_first_call_only(body: str) -> None:
    head = "import torch\n\ntable = {}\n\n@torch.compile\ndef f(x):\n    key = x.shape[0]\n"
    source = head + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n    return x\n"
    assert list(confidences(source).values()) == ["possible"]
    other_key = source.replace("table[key] =", "table[0] =")
    assert set(confidences(other_key).values()) in ({"certain"}, {"likely"})


def test_dynamo_breaks_at_a_warning_that_a_table_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
given = {}

def warn(x):
    if "norm" not in given:
        if x.min() < 0:  # breaks
            print(x)
        given["norm"] = True

def f(x):
    warn(x)
    return x + 1
"""
    check_first_break(tmp_path, monkeypatch, source, "f")
    assert confidences(source, "f")[6] == "likely"


REGISTRY = """
class Registry:
    def __init__(self):
        self.classes = {}

    def register(self, name):
        def add(cls):
            self.classes[name] = cls
            return cls
        return add

    def build(self, name):
        if name not in self.classes:
            raise KeyError(name)
        return self.classes[name]()

STEPS = Registry()
"""
STEPS = """
from registry import STEPS

@STEPS.register("item")
class Item:
    def run(self, x):
        return x.item()

@STEPS.register("double")
class Double:
    def run(self, x):
        return x * 2
"""
MAIN = """
import torch
import steps
from registry import STEPS

@torch.compile
def main(x: torch.Tensor):
    return STEPS.build("{name}").run(x)
"""


@pytest.mark.parametrize(("name", "broken"), [("item", ["main.py:8", "steps.py:7"]), ("double", [])])
def test_registry_object_filled_by_another_module(project: Any, name: str, broken: list[str]) -> None:
    folder = project({"registry.py": REGISTRY, "steps.py": STEPS, "main.py": MAIN.format(name=name)})
    report = lint(LintRequest((folder,)), Config(folder).with_values(torch_version=JUDGED)).report
    assert not report.errors
    assert [f"{Path(f.span.path).name}:{f.span.line}" for f in report.findings] == broken


def test_registry_object_that_no_visible_statement_fills_may_have_entries() -> None:
    body = (
        MAIN.replace("import steps\n", "").replace("{name}", "item").replace("from registry import STEPS\n", REGISTRY)
    )
    body = body.replace("    return STEPS", "    found = STEPS").replace(".run(x)", "\n    return found, x.item()")
    assert [kind for _, kind in breaks(body)] == ["tensor-to-python"]


DECORATORS = {
    "a registry is the decorator": """
        class Registry:
            def __init__(self):
                self.table = {}
            def __call__(self, fn):
                self.table[fn.__name__] = fn
                return fn
        registry = Registry()
        @registry
        def one(x):
            return x.item()
        def run(x):
            return registry.table["one"](x)
    """,
    "its call returns the decorator": """
        class Registry:
            def __init__(self):
                self.items = []
            def __call__(self, name):
                def decorate(fn):
                    self.items.append((name, fn))
                    return fn
                return decorate
        registry = Registry()
        @registry("one")
        def one(x):
            return x.item()
        def run(x):
            return [fn(x) for _, fn in registry.items][0]
    """,
    "a registry is a dict": """
        class Registry(dict):
            def __call__(self, fn):
                self[fn.__name__] = fn
                return fn
        registry = Registry()
        @registry
        def one(x):
            return x.item()
        def run(x):
            return registry["one"](x)
    """,
    "methods": """
        FUNCTIONS = []
        def register(fn):
            FUNCTIONS.append(fn)
            return fn
        class Operators:
            @register
            def one(self, x):
                return x.item()
        def run(x):
            return FUNCTIONS[0](Operators(), x)
    """,
    "a function that adds to a table of a class": """
        class Registry:
            items = {}
        def register(fn):
            Registry.items[fn.__name__] = fn
            return fn
        @register
        def one(x):
            return x.item()
        def run(x):
            return Registry.items["one"](x)
    """,
    "a table of a class": """
        def named(name):
            def decorate(cls):
                cls.table = {name: lambda self, x: x.item()}
                return cls
            return decorate
        @named("one")
        class Operators:
            pass
        def run(x):
            return Operators.table["one"](Operators(), x)
    """,
    "a method of a class": """
        def named(name):
            def decorate(cls):
                setattr(cls, name, lambda self, x: x.item())
                return cls
            return decorate
        @named("one")
        class Operators:
            pass
        OPERATORS = Operators()
        def run(x):
            return OPERATORS.one(x)
    """,
}


@pytest.mark.parametrize("source", DECORATORS.values(), ids=DECORATORS)
def test_decorators_that_fill_a_table(source: str) -> None:
    whole = "import torch" + textwrap.dedent(source)
    line = next(number for number, text in enumerate(whole.splitlines(), 1) if "item()" in text)
    assert breaks(whole, "run") == [(line, "tensor-to-python")]


CALLED = """
import torch

TABLE = dict()

def check(test, message):
    if not test:
        raise ValueError(message)

def register(name, cls):
    check(name not in TABLE, "known already")
    TABLE[name] = cls

def build(name):
    check(name in TABLE, "not known")
    cls = TABLE[name]
    net = cls()
    return torch.compile(net)

class One(torch.nn.Module):
    def forward(self, x):
        print(x)
        return x

register("one", One)
"""
ELSEWHERE = """
import torch
from nets import build, register

class Two(torch.nn.Module):
    def forward(self, x):
        return x.nonzero()

class Three(torch.nn.Module):
    def forward(self, x):
        return x

register("two", Two)
register(cls=Three, name="three")

def main(name):
    build(name)(torch.ones(3))

build("one")(torch.ones(3))
"""


def test_registry_filled_by_calls(tmp_path: Path) -> None:
    (tmp_path / "nets.py").write_text(CALLED)
    (tmp_path / "other.py").write_text(ELSEWHERE)
    report = lint(LintRequest((tmp_path,)), Config(tmp_path).with_values(torch_version=JUDGED)).report
    assert sorted(entry.name for entry in report.entries) == ["nets:One", "other:Three", "other:Two"]
    assert report.unresolved == []


PAIRS = """
import torch

TABLE = {}

def register(name, cls, config):
    if name in TABLE:
        raise ValueError(name)
    TABLE[name] = (cls, config)

def build(name):
    cls, config = TABLE[name]
    return torch.compile(cls(config()))
"""
REGISTERED_PAIRS = """
import torch
from pairs import build, register

class Config:
    pass

class One(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
    def forward(self, x):
        return x

class Two(One):
    def forward(self, x):
        return x.nonzero()

register("one", One, Config)
register("two", Two, config=Config)

def main(name):
    build(name)(torch.ones(3))
"""


def test_registry_of_pairs_filled_by_calls(tmp_path: Path) -> None:
    (tmp_path / "pairs.py").write_text(PAIRS)
    (tmp_path / "other.py").write_text(REGISTERED_PAIRS)
    report = lint(LintRequest((tmp_path,)), Config(tmp_path).with_values(torch_version=JUDGED)).report
    assert sorted(entry.name for entry in report.entries) == ["other:One", "other:Two"]
    assert report.unresolved == []
