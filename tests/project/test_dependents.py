"""Files that depend on a changed file, name by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.project.dependents import dependents

FILES = {
    "app/__init__.py": "from .models import Net\nfrom .flags import FAST, SLOW as QUIET\n",
    "app/flags.py": "from .base import SPEED\nFAST = SPEED > 1\nSLOW = 2\nif SLOW:\n    DEEP = 3\n",
    "app/base.py": "SPEED = 3\nCOLOUR = 'red'\n",
    "app/models.py": "class Net:\n    pass\n",
    "app/star.py": "from .flags import *\n\n\ndef of_star():\n    return DEEP\n",
    "app/registry.py": "KNOWN = {}\n\n\ndef look():\n    return KNOWN\n",
    "app/sub/__init__.py": "from .. import FAST\n",
    "app/sub/inner.py": "def f():\n    from ..base import SPEED\n\n    return SPEED\n",
    "from_package.py": "from app import FAST\n\n\ndef f():\n    return FAST\n",
    "renamed.py": "from app import QUIET as other\n\nLIMIT = other + 1\n",
    "plain.py": "import app.flags\n\n\ndef f():\n    return app.flags.FAST\n",
    "module.py": "from app import base as b\n\n\ndef f():\n    return b.COLOUR\n",
    "long.py": "from app import (\n    Net,\n    base,\n)\n\n\ndef f():\n    return base.SPEED, Net\n",
    "unused.py": "from app.base import SPEED\nfrom app import FAST\n",
    "net.py": "from app import Net\n\n\nclass Wide(Net):\n    pass\n",
    "wider.py": "from net import Wide\n\n\ndef f():\n    return Wide()\n",
    "register.py": "from app.registry import KNOWN\nfrom app.base import COLOUR\n\nTABLE = {}\nTABLE['x'] = COLOUR\n",
    "round_one.py": "import round_two\n\nA = 1\nB = round_two.C\n",
    "round_two.py": "import round_one\n\nC = round_one.A\n",
    "broken.py": "from app.base import SPEED\ndef (:\n",
    "notes.ipynb": '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", '
    '"metadata": {}, "outputs": [], "source": ["from app.base import SPEED\\n", "print(SPEED)"]}]}',
    "other/app/base.py": "SPEED = 4\n",
    "other/__init__.py": "",
    "other/beside.py": "from app.base import SPEED\n\nTWICE = SPEED * 2\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        # Through flags and the package to files that use names derived from it; a re-export alone is not a use.
        (
            "app/base.py",
            """app/flags.py app/sub/inner.py from_package.py plain.py module.py long.py register.py notes.ipynb
            other/beside.py""",
        ),
        # An import of another name of the package is not affected.
        ("app/models.py", "net.py wider.py long.py"),
        ("app/flags.py", "app/star.py from_package.py plain.py renamed.py"),
        ("app/registry.py", ""),
        ("net.py", "wider.py"),
        ("round_one.py", "round_two.py"),
        ("round_two.py", "round_one.py"),
        ("wider.py", ""),
        # A removed file and a file that cannot be parsed have dependents like any other.
        ("gone.py", ""),
        ("broken.py", ""),
    ],
)
def test_dependents(folder: Path, changed: str, expected: str) -> None:
    files = [str(folder / name) for name in FILES]
    found = dependents({str(folder / changed)}, files).files
    assert {str(Path(path).relative_to(folder)) for path in found} == {changed, *expected.split()}


def test_a_package_that_changed(folder: Path) -> None:
    files = [str(folder / name) for name in FILES]
    found = dependents({str(folder / "app/__init__.py")}, files).files
    affected = {str(Path(path).relative_to(folder)) for path in found}
    assert {"from_package.py", "renamed.py", "net.py", "wider.py", "plain.py", "long.py"} <= affected
    assert "app/flags.py" not in affected and "register.py" not in affected


def test_removed_file(folder: Path) -> None:
    files = [str(folder / name) for name in FILES if name != "app/base.py"]
    (folder / "app/base.py").unlink()
    found = dependents({str(folder / "app/base.py")}, files).files
    assert str(folder / "app/flags.py") in found and str(folder / "from_package.py") in found


def test_nothing_changed(folder: Path) -> None:
    assert dependents((), [str(folder / name) for name in FILES]).files == frozenset()


def test_search_stops_at_the_limit(folder: Path) -> None:
    files = [str(folder / name) for name in FILES]
    found = dependents({str(folder / "net.py")}, files, most=1)
    assert found.files == {str(folder / "net.py")} and not found.is_complete
    assert dependents({str(folder / "net.py")}, files).is_complete
