"""Compiled methods of objects that the project makes: what the objects hold decides what is compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from gblint.values.objects import Class, Instance
from tests.interp.snippets import breaks, ways

PARTS = """
import functools
import torch
class Part:
    def run(self, x):
        return x
class Reads(Part):
    def run(self, x):
        return x.item()
"""
DECORATED = f"""{PARTS}
class Owner:
    def __init__(self, part, parts=()):
        self.part = part
        self.parts = list(parts)
    @torch.compile
    def step(self, x):
        for each in self.parts:
            x = each.run(x)
        return self.part.run(x)
"""
COMPILED_IN_INIT = f"""{PARTS}
class Owner:
    def __init__(self, part, parts=()):
        self.part = part
        self.parts = list(parts)
        self.step = torch.compile(self._step)
    def _step(self, x):
        for each in self.parts:
            x = each.run(x)
        return self.part.run(x)
"""
PROPERTY = f"""{PARTS}
class Owner:
    def __init__(self, part, parts=()):
        self.part = part
        self.parts = list(parts)
    @functools.cached_property
    def step(self):
        return torch.compile(self.run)
    def run(self, x):
        for each in self.parts:
            x = each.run(x)
        return self.part.run(x)
"""
FORMS = pytest.mark.parametrize("owner", [DECORATED, COMPILED_IN_INIT, PROPERTY])


@FORMS
def test_an_argument_of_the_constructor(owner: str) -> None:
    assert breaks(f"{owner}def main():\n    Owner(Reads()).step(torch.ones(3))\n") == [(9, "tensor-to-python")]
    assert breaks(f"{owner}def main():\n    Owner(Part()).step(torch.ones(3))\n") == []


@FORMS
def test_an_option_of_the_constructor(owner: str) -> None:
    main = """
def main():
    parts = [Part()]
    parts.append(Reads())
    owner = Owner(Part(), parts=parts)
    owner.step(torch.ones(3))
"""
    assert ways(owner + main)[9] == ("always", [])


def test_each_kind_of_object() -> None:
    main = """
def main():
    for owner in (Owner(Part()), Owner(Reads())):
        owner.step(torch.ones(3))
"""
    assert breaks(COMPILED_IN_INIT + main) == [(9, "tensor-to-python")]


def test_an_object_that_no_code_makes() -> None:
    for owner in (DECORATED, COMPILED_IN_INIT, PROPERTY):
        assert breaks(owner) == []


NET = """\
from torch import nn

class Net(nn.Module):
    def __init__(self, reads=False):
        super().__init__()
        self.reads = reads
    def forward(self, x):
        return x.item() if self.reads else x
"""
LAZY = {
    "a name and its module": """\
import importlib

_MODULES = {"Net": ".net"}

def __getattr__(name):
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name], __name__), name)
    raise AttributeError(name)
""",
    "a name, its module and its name there": """\
import importlib

_MODULES = {"Net": (".net", "Net")}

def __getattr__(name):
    module, attribute = _MODULES[name]
    return getattr(importlib.import_module(module, __name__), attribute)
""",
    "an import in the function": """\
def __getattr__(name):
    if name == "Net":
        from .net import Net

        return Net
    raise AttributeError(name)
""",
}


@pytest.mark.parametrize("package", LAZY.values(), ids=LAZY)
@pytest.mark.parametrize("main", ["import pkg\nmake = pkg.Net\n", "from pkg import Net as make\n"])
def test_classes_of_a_lazy_package(tmp_path: Path, package: str, main: str) -> None:
    main = f"import torch\n{main}net = torch.compile(make(reads=True))\n"
    for name, text in {"pkg/__init__.py": package, "pkg/net.py": NET, "main.py": main}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    m = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    assert [each.event.span.line for each in trace(m, find_entries(m, []).entries)] == [8]


def test_an_assumed_object_is_complete_however_few_steps_are_left(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "class Part:\n    pass\nclass Model:\n    def __init__(self, size=3):\n        self.part = Part()\n"
    )
    interp = new_interpreter(Project([path], root=tmp_path), load("2.13"), {})
    module = interp.project.module_at(path)
    assert module is not None
    model = interp.module_attribute(module, "Model")
    assert isinstance(model, Class)
    interp.budget.limit, steps = 0, interp.budget.steps
    made = interp.any_instance(model)
    assert isinstance(made, Instance)
    assert list(made.attrs) == ["part"]
    assert (interp.budget.limit, interp.budget.steps) == (0, steps)
