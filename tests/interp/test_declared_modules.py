"""Modules that a method of a base class compiles, and that subclasses set, or declare and leave empty."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gblint.entrypoints.search import EntrySearch, find_entries
from gblint.interp import new_interpreter
from gblint.interp.evaluator.derived_classes import MAX_SUBCLASSES
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from gblint.values.base import Const
from gblint.values.lattice import MAX_OBJECTS

MODULES = """
import torch
from torch import nn

class Block(nn.Module):
    def forward(self, x):
        return x

class Small(nn.Module):
    def forward(self, x):
        return x

class Large(nn.Module):
    parts = ["Block"]
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(4)])
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""
PIPELINE = """
class Pipeline(nn.Module):
    def __init__(self, device="cuda"):
        super().__init__()
        self.device = device

    def speed_up(self, names=None, **options):
        names = names or getattr(self, "compiled_names", [])
        if len(names) == 0:
            return
        for name in names:
            model = getattr(self, name, None)
            if model is None:
                continue
            parts = getattr(model, "parts", None)
            if parts is None:
                model.compile(**options)
            else:
                for part in model.modules():
                    if part.__class__.__name__ in parts:
                        part.compile(**options)
"""


def search(folder: Path, source: str) -> EntrySearch:
    folder.joinpath("m.py").write_text(MODULES + textwrap.dedent(source))
    return find_entries(new_interpreter(Project([folder], root=folder), load("2.13"), {}), assume="never")


def names(found: EntrySearch) -> list[str]:
    return sorted(entry.point.name.partition(":")[2] for entry in found.entries)


@pytest.mark.parametrize(
    "value",
    ["{0}()", "None", "load('{0}')"],
    ids=["made", "empty", "not-known"],
)
def test_subclasses_set_what_is_compiled(tmp_path: Path, value: str) -> None:
    source = PIPELINE + "def load(name):\n    return torch.load(name)\n"
    for name in ("Small", "Large"):
        source += f"""
class Of{name}(Pipeline):
    def __init__(self, device="cuda"):
        super().__init__(device)
        self.net: {name} = {value.format(name)}
        self.other = Small()
        self.compiled_names = ["net"]
"""
    found = search(tmp_path, source)
    assert names(found) == ["Block", "Small"]
    assert found.unresolved == []


def test_an_attribute_that_the_base_class_lacks(tmp_path: Path) -> None:
    source = """
    class Task:
        def start(self):
            self.net = torch.compile(self.net)
    class First(Task):
        def __init__(self):
            self.net = Small()
    class Second(Task):
        def __init__(self):
            self.net = Large()
    """
    assert names(search(tmp_path, source)) == ["Large", "Small"]


def test_a_declared_module_that_other_code_fills(tmp_path: Path) -> None:
    source = """
    class Task:
        def __init__(self):
            self.net: Small = None
            self.size: int = None
        def compile_all(self):
            self.net.compile()
    def load(pool):
        task = Task()
        task.net = pool["net"]
        task.compile_all()
    """
    found = search(tmp_path, source)
    assert names(found) == ["Small"]
    assert found.unresolved == []


def test_more_subclasses_than_are_followed_are_told(tmp_path: Path) -> None:
    source = PIPELINE
    for number in range(MAX_SUBCLASSES + 1):
        source += f"""
class P{number}(Pipeline):
    def __init__(self):
        super().__init__()
        self.net{number} = Small()
        self.compiled_names = ["net{number}"]
"""
    found = search(tmp_path, source)
    assert names(found)[-1] == "Small"
    assert "its class has more subclasses than gblint follows" in [each.explanation for each in found.unresolved]


@pytest.mark.parametrize("empty", ["{}", "dict()", "{} if options is None else options"])
def test_options_in_place_of_none_may_switch_compilation_on(tmp_path: Path, empty: str) -> None:
    source = f"""
    def compiled(function, config):
        options = config.options
        if not bool((options or {empty}).get("compile", False)):
            return function
        return torch.compile(function)
    def loss(x):
        return x
    def train(x, config):
        return compiled(loss, config)(x)
    """
    found = search(tmp_path, source)
    assert names(found) == ["loss"]
    assert found.unresolved == []


@pytest.mark.parametrize(
    "key",
    ["function", "(function, mode)"],
)
def test_a_table_that_is_filled_on_demand_keeps_its_keys_apart(tmp_path: Path, key: str) -> None:
    source = f"""
    TABLE = {{}}
    def compiled(function, mode):
        if {key} not in TABLE:
            TABLE[{key}] = torch.compile(function)
        return TABLE[{key}]
    def first(x):
        return x
    def second(x, flag):
        return x
    def train(x, mode):
        compiled(first, mode)(x)
        return compiled(second, mode)(x, True)
    """
    found = search(tmp_path, source)
    assert names(found) == ["first", "second"]
    assert {entry.point.name: len(entry.args.pos) for entry in found.entries if entry.args} == {
        "m:first": 1,
        "m:second": 2,
    }


def test_more_classes_in_a_table_than_are_followed_are_told(tmp_path: Path) -> None:
    classes = "\n".join(f"class S{n}(Base):\n    def step(self):\n        return {n}" for n in range(40))
    table = ", ".join(f"S{n}" for n in range(40))
    source = f"""
class Base:
    fast = True
    def step(self):
        return 0
{classes}
TABLE = {{str(each.__name__).lower(): each for each in [{table}]}}
def create(name):
    kind = TABLE[name]
    fast = issubclass(kind, Base) and kind.fast
    made = kind()
    made.step = torch.compile(made.step)
    made.helper = torch.compile(helper)
    return made
def helper(x):
    return x
"""
    found = search(tmp_path, source)
    assert sorted(names(found)) == ["Base.step", "helper"]
    assert [each.expression for each in found.unresolved] == ["made.step"]
    assert [each.explanation for each in found.unresolved] == [f"more than {MAX_OBJECTS} objects can stand there"]


def test_a_default_that_is_stored_is_not_all_that_may_be_read(tmp_path: Path) -> None:
    source = """
    def compiled(options, key):
        if key not in options:
            options[key] = Small()
        return torch.compile(options[key])
    compiled({"net": Large()}, "net")
    """
    assert "Large" in names(search(tmp_path, source))


@pytest.mark.parametrize(
    ("call", "compiled"),
    [
        ("net(x)", ["One"]),
        ("net(x, x)", ["Two"]),
        ("net(x, scale=x)", ["Two"]),
        ("net(*batch)", ["One", "Two"]),
        ("net(x, x, x)", ["One", "Two"]),
    ],
)
def test_the_subclasses_that_take_the_arguments_of_the_call_are_compiled(
    tmp_path: Path, call: str, compiled: list[str]
) -> None:
    source = f"""
    class Net(nn.Module):
        def forward(self, x):
            raise NotImplementedError
    class One(Net):
        def forward(self, x):
            return x + 1
    class Two(Net):
        def forward(self, x, scale):
            return x * scale
    def run(net: Net, x, batch):
        net = torch.compile(net)
        return {call}
    """
    assert names(search(tmp_path, source)) == compiled


def test_a_call_belongs_to_the_function_that_takes_its_arguments(tmp_path: Path) -> None:
    """Several functions are compiled at one place; what one is called with tells nothing of another."""
    source = """
    def scaled(x, rows):
        return x.view(rows, -1)
    def added(x, y, z):
        return x + y + z
    def speed(fn):
        return torch.compile(fn)
    def main(x, kind):
        run = speed(scaled if kind else added)
        run(x, x.exp(), x)
        run(x, 3)
    """
    found = {entry.point.name.partition(":")[2]: entry for entry in search(tmp_path, source).entries}
    assert found.keys() == {"scaled", "added"}
    assert found["scaled"].args is not None
    assert found["scaled"].args.pos[1] == Const(3)
