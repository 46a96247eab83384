"""Stubs that stand for a package if it is missing: those of packages that are installed do not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from gblint.values.base import Value, members
from gblint.values.objects import ExternalName, ModuleRef


def value(folder: Path, source: str, name: str) -> Value:
    (folder / "own.py").write_text("def f(x): return x\n")
    (folder / "m.py").write_text(f"from checks import has\nclass Stub: ...\n{source}")
    project = Project([folder], root=folder)
    module = project.find_module("m")
    assert module is not None
    found = new_interpreter(project, load("2.13"), {}).module_attribute(module, name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "source",
    [
        "if has('torch'):\n    import torch\nelse:\n    torch = Stub()\n",
        "if not has('torch'):\n    class torch: ...\nelse:\n    import torch\n",
        "torch = None\nif has('torch'):\n    import torch\n",
    ],
)
def test_an_installed_package_is_no_stub(source: str, tmp_path: Path) -> None:
    assert value(tmp_path, source, "torch") in (ExternalName("torch"), ModuleRef("torch"))


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("if has('missing'):\n    import missing\nelse:\n    missing = Stub()\n", "missing"),
        ("if has('own'):\n    from own import f\nelse:\n    f = Stub()\n", "f"),
        ("if has('fast'):\n    from torch import relu as f\nelif has('own'):\n    from own import f\n", "f"),
        ("torch = Stub()\nif has('torch'):\n    import torch\n", "torch"),
    ],
)
def test_other_alternatives_are_kept(source: str, name: str, tmp_path: Path) -> None:
    """They are a missing package, one of the project, two that are imported, and an object under no condition."""
    assert len(members(value(tmp_path, source, name))) == 2
