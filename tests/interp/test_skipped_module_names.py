"""A project module whose name is on Dynamo's skip list: calls into it break, and its compiled functions run eagerly."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.diagnostics.break_event import Category
from gblint.pipeline.lint import LintRequest, lint

LIBRARY = """\
import torch


def helper(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


@torch.compile(backend="eager")
def whole(x: torch.Tensor) -> torch.Tensor:
    return x.cos() + 1
"""
MAIN = """\
import torch
from {name} import helper, whole


@torch.compile(backend="eager")
def f(x: torch.Tensor) -> torch.Tensor:
    return helper(x * 2) * 2
"""
COUNT = """
frames = torch._dynamo.utils.counters["stats"]
f(torch.ones(3))
graphs = frames["unique_graphs"]
whole(torch.ones(3))
print(graphs, frames["unique_graphs"] - graphs)
"""


@pytest.fixture(params=["tree", "trees"])
def files(request: pytest.FixtureRequest, project: Callable[..., Path]) -> Path:
    name = request.param
    return project({f"{name}.py": LIBRARY, "main.py": MAIN.format(name=name), "run.py": f"from main import *\n{COUNT}"})


def test_gblint_agrees(files: Path) -> None:
    report = lint(LintRequest((files / "main.py", *files.glob("tree*.py"))), Config(root=files)).report
    found = {(Path(f.span.path).name, f.span.line, f.category) for f in report.findings}
    own = (files / "tree.py").exists()
    expected = {("main.py", 7, Category.GRAPH_BREAK), ("tree.py", 9, Category.DIVERGENCE)}
    assert found == (expected if own else set())


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_dynamo_agrees(files: Path) -> None:
    run = subprocess.run([sys.executable, "run.py"], cwd=files, capture_output=True, text=True, check=True)
    assert run.stdout.split() == (["2", "0"] if (files / "tree.py").exists() else ["1", "1"])
