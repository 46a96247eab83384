"""Compiled parts of objects that the project's calls of a class pass to its constructor."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gblint.entrypoints.search import EntrySearch, find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from gblint.values.lattice import MAX_OBJECTS

MODULES = """
from dataclasses import dataclass, field, replace
import torch
from torch import nn
class Small(nn.Module):
    def forward(self, x):
        return x
class Large(nn.Module):
    def __init__(self, number=0):
        super().__init__()
        self.number = number
    def forward(self, x):
        return x
"""
MODEL = """
class Model(nn.Module):
    def __init__(self, encoder, blocks=(), head=None):
        super().__init__()
        self.encoder, self.head = encoder, head
        self.blocks = nn.ModuleList(blocks)
"""
CONFIGURED = """
class Part(nn.Module):
    @dataclass
    class Config:
        def build(self):
            return self.owner(config=replace(self))
    def __init_subclass__(cls):
        if "Config" in cls.__dict__:
            cls.Config.owner = cls
class Block(Part):
    @dataclass
    class Config(Part.Config):
        size: int
    def __init__(self, config: Config):
        super().__init__()
        self.size = config.size
    def forward(self, x):
        return x
class Wide(Part):
    @dataclass
    class Config(Part.Config):
        size: int
    def __init__(self, config: Config):
        super().__init__()
    def forward(self, x):
        return x
class Dict(nn.ModuleDict, Part):
    pass
class Base(Part):
    @dataclass
    class Config(Part.Config):
        layers: list
    def __init__(self, config: Config):
        super().__init__()
        self.layers = Dict()
        for index, each in enumerate(config.layers):
            self.layers[str(index)] = each.build()
class Model(Base):
    @dataclass
    class Config(Base.Config):
        pass
class Other(Base):
    @dataclass
    class Config(Base.Config):
        pass
def compile_layers(model: nn.Module):
    for name, block in model.layers.named_children():
        block.compile(fullgraph=True)
"""


def search(folder: Path, *sources: str) -> EntrySearch:
    for index, source in enumerate(sources):
        head = MODULES if index == 0 else "from m0 import *\nimport torch\n"
        folder.joinpath(f"m{index}.py").write_text(head + textwrap.dedent(source))
    return find_entries(new_interpreter(Project([folder], root=folder), load("2.13"), {}), assume="never")


def names(found: EntrySearch) -> list[str]:
    return sorted(entry.point.name.partition(":")[2] for entry in found.entries)


@pytest.mark.parametrize(
    "calls",
    [
        "def build():\n    return Model(Large())\n",
        "def build(name):\n    part = Large(len(name))\n    return Model(encoder=part)\n",
        "class Factory:\n    def build(self):\n        return Model(Large())\n",
        "class Factory:\n    @classmethod\n    def build(cls):\n        return Model(Large())\n",
        "model = Model(Large())\n",
        "class Made(Model):\n    @classmethod\n    def load(cls):\n        return Model(Large())\n",
    ],
)
def test_calls_tell_the_parts_of_a_parameter(tmp_path: Path, calls: str) -> None:
    compiles = "def fast(model: Model):\n    model.encoder = torch.compile(model.encoder)\n"
    found = search(tmp_path, MODEL + compiles, calls)
    assert names(found) == ["Large"]
    assert not found.unresolved


def test_a_class_method_calls_its_own_class(tmp_path: Path) -> None:
    source = f"""{MODEL}
    @classmethod
    def load(cls, path):
        return cls(Large())
def fast(model: Model):
    model.encoder.compile(fullgraph=True)
"""
    assert names(search(tmp_path, source)) == ["Large"]


def test_different_parts_are_all_compiled(tmp_path: Path) -> None:
    source = """
def fast(model: Model):
    model.encoder.compile(fullgraph=True)
def build(small):
    return Model(Small()) if small else Model(Large())
"""
    assert names(search(tmp_path, MODEL + source)) == ["Large", "Small"]


def test_items_of_a_list(tmp_path: Path) -> None:
    source = """
def fast(model: Model):
    for block in model.blocks:
        block.compile(fullgraph=True)
def build(count):
    return Model(Small(), [Large(n) for n in range(count)])
"""
    assert names(search(tmp_path, MODEL + source)) == ["Large"]


def test_an_optional_part(tmp_path: Path) -> None:
    source = """
def fast(model: Model):
    if model.head is not None:
        model.head = torch.compile(model.head)
def build():
    return Model(Small(), head=Large())
"""
    assert names(search(tmp_path, MODEL + source)) == ["Large"]


def test_what_no_call_passes_stays_unknown(tmp_path: Path) -> None:
    source = """
def fast(model: Model):
    model.encoder = torch.compile(model.encoder)
def build(encoder):
    return Model(encoder)
"""
    found = search(tmp_path, MODEL + source)
    assert names(found) == []
    assert len(found.unresolved) == 1


def test_settings_that_build_their_class(tmp_path: Path) -> None:
    calls = """
def fast(model: Model):
    compile_layers(model)
def layers(count):
    found = []
    for number in range(count):
        found.append(Block.Config(size=number))
    return found
def small():
    return Model.Config(layers=layers(28))
def large():
    return Model.Config(layers=layers(60))
def other():
    return Other.Config(layers=[Wide.Config(size=3)])
"""
    found = search(tmp_path, CONFIGURED, calls)
    assert names(found) == ["Block"]
    assert not found.unresolved


def test_containers_of_two_models_are_apart(tmp_path: Path) -> None:
    calls = """
def fast(model: Model):
    compile_layers(model)
first = Other(Other.Config(layers=[Wide.Config(size=3)]))
second = Model(Model.Config(layers=[Block.Config(size=3)]))
"""
    assert names(search(tmp_path, CONFIGURED, calls)) == ["Block"]


@pytest.mark.parametrize("kind", ["list", "dict"])
def test_more_layers_than_are_told_apart(tmp_path: Path, kind: str) -> None:
    source = f"""
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = nn.ModuleList() if {kind == "list"} else nn.ModuleDict()
        for number in range({MAX_OBJECTS + 8}):
            if {kind == "list"}:
                self.items.append(Large(number))
            else:
                self.items[str(number)] = Large(number)
for name, block in Model().items.named_children():
    block.compile(fullgraph=True)
"""
    found = search(tmp_path, source)
    assert names(found) == ["Large"]
    assert not found.unresolved


def test_a_function_that_apply_is_given(tmp_path: Path) -> None:
    source = """
class Model(nn.Module):
    def __init__(self, wide: bool):
        super().__init__()
        self.layers = nn.ModuleList([Small(), Large()])
        self.head = Large() if wide else None
    def fast(self, **options):
        wanted = (Large,)
        def compiled(module: nn.Module) -> None:
            if isinstance(module, wanted):
                module.forward = torch.compile(module.forward, **options)
        self.apply(compiled)
"""
    found = search(tmp_path, source)
    assert names(found) == ["Large.forward"]
    assert not found.unresolved


@pytest.mark.parametrize(("buffer", "expected"), [("angles", ["Turns"]), ("other", [])])
def test_tables_of_an_assumed_module(tmp_path: Path, buffer: str, expected: list[str]) -> None:
    source = f"""
class Turns(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("angles", torch.ones(size))
    def forward(self, x):
        return x * self.angles
def fast(model: Turns):
    if "{buffer}" in getattr(model, "_buffers", {{}}):
        model.compile(fullgraph=True)
"""
    assert names(search(tmp_path, source)) == expected


@pytest.mark.parametrize(("name", "assumes"), [("tests.py", True), ("train.py", False)])
def test_objects_of_tests_do_not_show_what_users_compile(tmp_path: Path, name: str, assumes: bool) -> None:
    compiles = "def fast(model: Model):\n    model.encoder = torch.compile(model.encoder)\n"
    (tmp_path / "lib.py").write_text(MODULES + MODEL + compiles)
    (tmp_path / name).write_text("from lib import *\ndef build():\n    return Model(Large())\n")
    found = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}))
    assert "Large" in names(found)
    assert found.assumes is assumes


def test_a_class_method_that_calls_that_of_a_library(tmp_path: Path) -> None:
    """``super().from_pretrained(...)`` in a class method makes an object of the class that is called."""
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text(
        "from torch import nn\nclass Base(nn.Module):\n    @classmethod\n"
        "    def from_pretrained(cls, path: str) -> 'Base':\n        return read(path)\n"
    )
    source = """
from nets import Base
class Model(Base):
    def __init__(self):
        super().__init__()
        self.encoder = Large()
    @classmethod
    def from_pretrained(cls, path):
        model = super().from_pretrained(path)
        model.eval()
        return model
torch.compile(Model.from_pretrained("x").encoder)
"""
    assert names(search(tmp_path, source)) == ["Large"]
