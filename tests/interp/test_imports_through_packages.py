"""Names imported through packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project

SETTINGS = "class checks:\n    enabled = False\n"
MAIN = """\
import torch
from pkg import settings

@torch.compile
def f(x):
    if settings.checks.enabled:
        x.item()
    return x
"""


@pytest.mark.parametrize(
    "package", ["from pkg import settings\n", "from . import settings\n", "import pkg.settings as settings\n", ""]
)
def test_a_submodule_that_its_package_imports_from_itself(tmp_path: Path, package: str) -> None:
    for name, text in {"pkg/__init__.py": package, "pkg/settings.py": SETTINGS, "main.py": MAIN}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    m = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    assert trace(m, find_entries(m, []).entries) == []


BACKEND = """\
import importlib, os, sys
for name in ("torch", "jax"):
    setattr(sys.modules[__name__], name, importlib.import_module(name))
"""
USES_BACKEND = """\
from pkg import torch

@torch.compile
def f(x: torch.Tensor):
    return x.item()
"""


def test_torch_that_a_package_sets_on_itself(tmp_path: Path) -> None:
    for name, text in {"pkg/__init__.py": BACKEND, "main.py": USES_BACKEND}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    m = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    assert [each.span.line for each in trace(m, find_entries(m, []).entries)] == [5]


def test_a_base_class_that_a_module_takes_from_its_package(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .base import *\nfrom .part import *\n",
        "pkg/base.py": "from torch import nn\nclass Base(nn.Module):\n    pass\n",
        "pkg/part.py": "from . import Base\nclass Part(Base):\n    def forward(self, x):\n        return x.item()\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    m = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    (found,) = trace(m, find_entries(m, ["pkg:Part"]).entries)
    assert (found.event.span.line, found.event.subject) == (4, "item")
