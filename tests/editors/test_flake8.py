from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gblint.editors.flake8 import Plugin, project_root

Write = Callable[..., Path]

HELPER = "def scale(x):\n    return x.max().item()\n"
TRAIN = "import torch\nfrom helper import scale\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x * scale(x)\n"
FILES = {"pyproject.toml": "[tool.gblint]\n", "helper.py": HELPER, "train.py": TRAIN}


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plugin, "_projects", {})
    monkeypatch.setattr(Plugin, "_stdin", False)


def findings(path: Path, text: str | None = None) -> list[tuple[int, int, str]]:
    source = path.read_text() if text is None else text
    plugin = Plugin(ast.parse(source), str(path), source.splitlines(keepends=True))
    return [(line, column, said) for line, column, said, _ in plugin.run()]


def flake8(folder: Path, *arguments: str, stdin: str = "") -> Any:
    command = [sys.executable, "-m", "flake8", "--isolated", *arguments]
    return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True)


def test_a_break_is_shown_in_the_file_that_it_lies_in(project: Write) -> None:
    root = project(FILES)
    ((line, column, said),) = findings(root / "helper.py")
    assert (line, column) == (2, 11)
    assert said.startswith("GBL101 `x.max().item()`")
    assert findings(root / "train.py") == []


def test_one_analysis_serves_all_files(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(FILES)
    findings(root / "train.py")
    monkeypatch.setattr("gblint.lint.lint", None)
    assert len(findings(root / "helper.py")) == 1


def test_the_project_is_the_nearest_folder_with_a_mark(project: Write) -> None:
    root = project({"setup.cfg": "", "a/b/c.py": "", "a/own/gblint.toml": "", "a/own/d.py": ""})
    assert project_root(root / "a" / "b" / "c.py") == root
    assert project_root(root / "a" / "own" / "d.py") == root / "a" / "own"


def test_trouble_is_said_once(project: Write) -> None:
    root = project({**FILES, "pyproject.toml": "[tool.gblint]\nfolow = []\n"})
    ((line, _, said),) = findings(root / "helper.py")
    assert line == 1
    assert said.startswith("GBL000 gblint cannot run: ")
    assert said.endswith("unknown key 'folow' in [tool.gblint]; did you mean 'follow'?")
    assert findings(root / "train.py") == []


def test_a_fault_of_ours_does_not_end_flake8(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Iterator[None]:
        raise ValueError("no")

    root = project(FILES)
    monkeypatch.setattr("gblint.lint.lint", fail)
    assert findings(root / "helper.py") == [(1, 0, "GBL000 gblint cannot run: ValueError: no")]


def test_the_text_in_the_editor_counts(project: Write) -> None:
    root = project(FILES)
    Plugin.parse_options(argparse.Namespace(filenames=["-"]))
    changed = "\n" + HELPER
    assert [line for line, _, _ in findings(root / "helper.py", changed)] == [3]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_real_flake8(project: Write, jobs: str) -> None:
    root = project(FILES)
    run = flake8(root, "--jobs", jobs, ".")
    assert run.stderr == ""
    (line,) = run.stdout.splitlines()
    assert line.startswith("./helper.py:2:12: GBL101 ")


def test_the_real_flake8_on_standard_input(project: Write) -> None:
    root = project(FILES)
    run = flake8(root, "--stdin-display-name", "helper.py", "-", stdin="import os\n\n\n" + HELPER)
    assert run.stderr == ""
    assert [line.split()[0:2] for line in run.stdout.splitlines()] == [
        ["helper.py:1:1:", "F401"],
        ["helper.py:5:12:", "GBL101"],
    ]


def test_flake8_has_the_last_word(project: Write) -> None:
    root = project(FILES)
    assert flake8(root, "--extend-ignore", "GBL1", ".").stdout == ""
