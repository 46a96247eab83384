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
