"""Methods that compile what a constructor is given: the objects that the project makes tell what that is."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gblint.entrypoints.search import MAX_MADE, EntrySearch, find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from tests.interp.snippets import breaks
from tests.oracle import dynamo

TRAINER = """
import torch

class Trainer:
    def __init__(self, model, lr=0.1):
        self.model = model
        self.lr = lr

    def setup(self):
        self.model = torch.compile(self.model)

class compiled_later:
    def __init__(self, function):
        self.function = function
        self._compiled = None

    @property
    def compiled(self):
        if self._compiled is None:
            self._compiled = torch.compile(self.function)
        return self._compiled

    def __call__(self, *args):
        return self.compiled(*args)
"""
NETS = """
from torch import nn
from trainer import Trainer, compiled_later

class Net(nn.Module):
    def forward(self, x):
        return x

class Other(nn.Module):
    def forward(self, x):
        return x
"""


def _search(tmp_path: Path, code: str) -> EntrySearch:
    (tmp_path / "trainer.py").write_text(TRAINER)
    (tmp_path / "main.py").write_text(NETS + textwrap.dedent(code))
    project = Project([tmp_path], root=tmp_path)
    return find_entries(new_interpreter(project, load("2.13"), {}), assume="never")


MADE = {
    "call": ("trainer = Trainer(Net())", ["main:Net"]),
    "in a function": ("def main():\n    Trainer(model=Net()).fit()", ["main:Net"]),
    "two": ("Trainer(Net())\nTrainer(Other())", ["main:Net", "main:Other"]),
    "maker": ("def build(net):\n    return Trainer(net)\n\nbuild(Other())", ["main:Other"]),
    "maker that is a constructor": (
        "class Run:\n    def __init__(self, net):\n        self.trainer = Trainer(net)\n\nRun(Other())",
        ["main:Other"],
    ),
    "subclass": ("class Mine(Trainer):\n    pass\n\nMine(Net())", ["main:Net"]),
    "constructor of a subclass": (
        "class Mine(Trainer):\n    def __init__(self):\n        super().__init__(Net())",
        ["main:Net"],
    ),
    "decorator": ("@compiled_later\ndef step(x):\n    return x", ["main:step"]),
}


@pytest.mark.parametrize(("code", "names"), MADE.values(), ids=MADE)
def test_what_the_project_makes(tmp_path: Path, code: str, names: list[str]) -> None:
    search = _search(tmp_path, code)
    assert sorted({entry.point.name for entry in search.entries}) == names


def test_nothing_is_made(tmp_path: Path) -> None:
    search = _search(tmp_path, "net = Net()")
    assert search.entries == []
    assert {target.expression for target in search.unresolved} == {"self.model", "self.function"}


def test_more_than_are_followed(tmp_path: Path) -> None:
    classes = "".join(f"class N{n}(Net): pass\nTrainer(N{n}())\n" for n in range(MAX_MADE + 8))
    search = _search(tmp_path, classes)
    assert "self.model" in {target.expression for target in search.unresolved}


EXCLUSIVE = """
import torch
class Pipe:
    def __init__(self):
        self.net = Net()

def main(kind):
    pipe = Pipe()
    if kind == "other":
        pipe.net = Other()
    elif kind == "compile":
        pipe.net = torch.compile(pipe.net)
    else:
        assert False
        torch.compile(Other())
"""


def test_a_branch_does_not_see_what_another_stores(tmp_path: Path) -> None:
    assert {entry.point.name for entry in _search(tmp_path, EXCLUSIVE).entries} == {"main:Net"}


CALLED_INSTEAD = """
import torch
class counted:
    def __init__(self, function):
        self.function = function
    def __call__(self, *args):
        return self.function(*args)

class late:
    def __init__(self, function):
        self.function = function
    def __get__(self, instance, owner=None):
        return self.function(instance)
    def __call__(self, *args):
        raise TypeError

class Counted(nn.Module):
    @late
    def width(self):
        return 3

    def forward(self, x):
        return add(x) + self.width

@counted
def add(x):
    return x.sum().item()

torch.compile(Counted())
"""


def test_a_class_as_a_decorator(tmp_path: Path) -> None:
    from gblint.interp import trace

    (tmp_path / "trainer.py").write_text(TRAINER)
    (tmp_path / "main.py").write_text(NETS + CALLED_INSTEAD)
    project = Project([tmp_path], root=tmp_path)
    interp = new_interpreter(project, load("2.13"), {})
    search = find_entries(interp, assume="never")
    assert [found.event.kind for found in trace(interp, search.entries)] == ["tensor-to-python"]


DECORATED = """
import torch
class counted:
    def __init__(self, function):
        self.function = function
    def __call__(self, *args):
        return self.function(*args)

@counted
def add(x):
    return x.sum().item()

def f(x):
    return add(x)
"""


def test_a_class_as_a_decorator_as_dynamo_judges() -> None:
    (verdict,) = dynamo.verdicts([(DECORATED, "(torch.ones(3),)")])
    assert set(verdict.breaks) == {11}
    assert [line for line, _ in breaks(DECORATED, "f")] == [11]


VIDEO = """
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x

class Base(nn.Module):
    def __init__(self, detector: nn.Module, size=3):
        super().__init__()
        self.detector = detector

class Video(Base):
    def __init__(self, compile_model=False, **kwargs):
        super().__init__(**kwargs)
        self.compile_model = compile_model

    def compile_parts(self):
        if self.compile_model:
            self.detector.forward = torch.compile(self.detector.forward)

{subclass}
def build(compile=False):
    return {made}(detector=Net(), compile_model=compile)
"""
SUBCLASSES = {
    "": "Video",
    "class Mine(Video):\n    pass\n": "Mine",
    "class Mine(Video):\n    def __init__(self, **kwargs):\n        super().__init__(**kwargs)\n": "Mine",
}


@pytest.mark.parametrize("subclass", SUBCLASSES)
def test_keyword_arguments_that_constructors_pass_on(subclass: str, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(VIDEO.format(subclass=subclass, made=SUBCLASSES[subclass]))
    project = Project([tmp_path], root=tmp_path)
    search = find_entries(new_interpreter(project, load("2.13"), {}), assume="never")
    assert [entry.point.name for entry in search.entries] == ["m:Net.forward"]
    assert search.unresolved == []
