"""Installed libraries: environment variables, and packages that are installed or missing."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project
from tests.interp.snippets import confidences, ways

FLAG = """
import os
_ON = {"1", "TRUE"}
_ON_OR_AUTO = _ON.union({"AUTO"})
MODE = os.environ.get("MODE", "AUTO").upper()
LOUD = False
if MODE in _ON:
    LOUD = True

def is_loud():
    return LOUD

def is_plain():
    if LOUD:
        return False
    return True
"""
NET = """
import torch
from lib import {names}

@torch.compile
def net(x):
    {condition}
        print(x)
    return x
"""


def breaks(folder: Path, library: str, names: str, condition: str) -> list[int]:
    """Return the lines of a program that break, with an installed module ``lib`` of this source."""
    site, root = folder / "site", folder / "project"
    site.mkdir()
    root.mkdir()
    (site / "lib.py").write_text(library)
    (site / "there").mkdir()
    (site / "there" / "__init__.py").write_text("")
    (site / "there-1.2.dist-info").mkdir()
    (root / "main.py").write_text(NET.format(names=names, condition=condition))
    environment = Environment(None, (3, 11), (site,))
    interp = new_interpreter(Project([root], root=root, environment=environment), load("2.13"), {})
    return [each.event.span.line for each in trace(interp, find_entries(interp, []).entries)]


@pytest.mark.parametrize(
    ("condition", "found"), [("if is_loud():", []), ("if not is_plain():", []), ("if not is_loud():", [8])]
)
def test_the_variables_that_a_library_reads_are_unset(tmp_path: Path, condition: str, found: list[int]) -> None:
    assert breaks(tmp_path, FLAG, "is_loud, is_plain", condition) == found


def test_the_variables_that_a_program_reads_are_options() -> None:
    source = FLAG + "def net(x):\n    if is_loud():\n        print(x)\n    if not is_plain():\n        print(x)\n"
    lines = source.splitlines()
    first, second = [number for number, line in enumerate(lines, 1) if line.strip() == "print(x)"]
    assert confidences(source, "net") == {first: "likely", second: "likely"}
    assert ways(source, "net") == {
        first: ("option", ["is_loud() holds"]),
        second: ("option", ["is_plain() fails"]),
    }


@pytest.mark.parametrize(("package", "found"), [("there", []), ("missing", [8])])
def test_the_version_of_an_installed_package(tmp_path: Path, package: str, found: list[int]) -> None:
    library = f"""
import importlib.metadata
import importlib.util

def is_available(name):
    found = importlib.util.find_spec(name) is not None
    if found:
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found = False
    return found

AVAILABLE = is_available("{package}")
"""
    assert breaks(tmp_path, library, "AVAILABLE", "if not AVAILABLE:") == found


@pytest.mark.parametrize(
    ("module", "handler", "found"),
    [
        ("there", "Exception", [8]),
        ("missing.ops", "Exception", []),
        ("missing", "ImportError", []),
        ("missing", "ValueError", [8]),
    ],
)
def test_what_follows_the_import_of_a_missing_package(
    tmp_path: Path, module: str, handler: str, found: list[int]
) -> None:
    library = f"""
class Kernel:
    def __init__(self):
        self.fast = None
        try:
            import {module}
            self.fast = {module}.build()
        except {handler}:
            pass

kernel = Kernel()
"""
    assert breaks(tmp_path, library, "kernel", "if kernel.fast is not None:") == found


def test_a_class_with_more_subclasses_than_python_nests_calls(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "base.py").write_text(
        textwrap.dedent("""
        class Base:
            table = {}

            def __init_subclass__(cls, **kwargs):
                super().__init_subclass__(**kwargs)
                cls.table[cls.__name__] = cls

            def run(self, x):
                return x
        """)
    )
    for number in range(300):
        text = f"from package.base import Base\n\nclass Part{number}(Base):\n    pass\n"
        (package / f"part{number}.py").write_text(text)
    (package / "last.py").write_text(
        "from package.base import Base\n\nclass Last(Base):\n    def run(self, x):\n        print(x)\n"
    )
    (package / "net.py").write_text(
        "import torch\nfrom package.last import Last\n\n\ndef net(x):\n    return Last().run(x)\n"
    )
    interp = new_interpreter(Project([package], root=tmp_path), load("2.13"), {})
    search = find_entries(interp, ["package.net:net"])
    assert not search.problems
    assert 5 in [each.event.span.line for each in trace(interp, search.entries)]
