"""Tests of the tutorial: each step has the output that the page shows, and Dynamo finds no break at the end."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example."""
    folder = tmp_path / "demo"
    shutil.copytree(ROOT / "examples" / "demo", folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    return folder


def follow(gblint: Callable[..., Any], folder: Path) -> None:
    """Follow the steps of the page, up to the one that runs the code."""
    for kind, text in re.findall(r"```(console|diff)\n(.*?)```", PAGE, re.DOTALL):
        if kind == "diff":
            apply(text, folder)
            continue
        command, _, shown = text.partition("\n")
        arguments = shlex.split(command)[2:]
        if arguments[0] == "confirm":
            return
        done = gblint(*arguments)
        assert done.out == shown
        assert done.status == ("Found" in shown)


def apply(diff: str, folder: Path) -> None:
    head, *lines = diff.splitlines(keepends=True)
    path = folder / head.split()[1]
    old, new = ("".join(line[1:] for line in lines if line.startswith(sign)) for sign in "-+")
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_the_steps(gblint: Callable[..., Any], demo: Path) -> None:
    follow(gblint, demo)


def test_dynamo_agrees_with_the_end(gblint: Callable[..., Any], demo: Path) -> None:
    follow(gblint, demo)
    done = gblint("confirm", "--backend", "eager", "--output-format", "json", "train.py", "--")
    (run,) = json.loads(done.out)["runs"]
    assert (done.status, run["status"], run["breaks"]) == (0, "ok", [])
    assert len(run["recompiles"]) == 2
