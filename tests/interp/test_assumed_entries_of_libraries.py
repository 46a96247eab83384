"""A library compiles the modules of its users: what its tests compile does not show which of its own are compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.project import Project

LIBRARY = """
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x

class Engine:
    def __init__(self, model):
        self.model = model

    def compile(self):
        self.model = torch.compile(self.model)
"""
TEST = """
from torch import nn
from library import Engine, Net

class Simple(nn.Module):
    def forward(self, x):
        return x

def test_engine():
    Engine({model}()).compile()
"""


@pytest.mark.parametrize(
    ("model", "assumed"),
    [("Simple", {"library:Net", "test_library:Simple"}), ("Net", set[str]())],
)
def test_assumed_entries(tmp_path: Path, model: str, assumed: set[str]) -> None:
    (tmp_path / "library.py").write_text(LIBRARY)
    (tmp_path / "test_library.py").write_text(TEST.format(model=model))
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}))
    assert {each.point.name.rpartition(":")[2] for each in search.entries if each.point.kind == "call"} == {model}
    assert {each.point.name for each in search.entries if each.point.kind == "assumed"} == assumed


def test_nothing_is_assumed_where_all_files_are_tests(tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(LIBRARY)
    (tmp_path / "test_library.py").write_text(TEST.format(model="Simple"))
    project = Project([tmp_path / "test_library.py"], root=tmp_path)
    search = find_entries(new_interpreter(project, load("2.13"), {}))
    assert {each.point.kind for each in search.entries} == {"call"}


@pytest.mark.parametrize(("name", "assumed"), [("test_use.py", True), ("use.py", False)])
def test_what_tests_compile_of_other_packages_shows_nothing(tmp_path: Path, name: str, assumed: bool) -> None:
    (tmp_path / "library.py").write_text(LIBRARY)
    other = tmp_path / "installed" / "other.py"
    other.parent.mkdir()
    other.write_text("from torch import nn\nclass Other(nn.Module):\n    def forward(self, x):\n        return x\n")
    (tmp_path / name).write_text("import torch\nfrom other import Other\ndef test():\n    torch.compile(Other())\n")
    files = [tmp_path / "library.py", tmp_path / name]
    project = Project(files, root=tmp_path, src=[other.parent])
    search = find_entries(new_interpreter(project, load("2.13"), {}))
    assert [each.point.name for each in search.entries if each.point.kind == "call"] == ["other:Other"]
    assert ("library:Net" in {each.point.name for each in search.entries}) is assumed
