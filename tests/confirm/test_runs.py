"""Runs of code with graph breaks: the recorded breaks are those that Dynamo logs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from gblint.confirm.jobs import ObservedBreak, Result, Target
from gblint.confirm.line_ranges import from_ranges

pytestmark = pytest.mark.slow

NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x, flag=False):
        y = self.linear(x)
        if flag:
            print("flag")
        total = y.sum().item()
        if self.training:
            print("training")
        y = helper(y)
        for _ in range(2):
            print("loop")
            y = y * 2
        return y * total + y.max().item()

def helper(y):
    z = y + 1
    return z * z.max().item()

def sized(x):
    return x * 2 if x.shape[0] > 2 else x

def reads(x):
    return x * x.sum().item() + x[x > 0].sum()
"""
TRAIN = """\
import sys

import torch
from net import Net, sized

assert __name__ == "__main__" and sys.argv[1] == "--steps", sys.argv
assert sys.modules["__main__"].Net is Net
net = torch.compile(Net(), backend="eager")
step = torch.compile(sized, backend="eager")
for size in range(2, 2 + int(sys.argv[2])):
    net(torch.ones(size, 4))
    step(torch.ones(size, 4))
sys.exit(3)
"""
TESTS = """\
import torch
from net import reads, sized

def test_clean():
    torch.compile(sized, backend="eager")(torch.ones(3))

def test_breaks():
    torch.compile(reads, backend="eager")(torch.ones(3))
    assert False
"""
FILES = {"net.py": NET, "train.py": TRAIN, "test_net.py": TESTS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the runs."""
    return tmp_path_factory.mktemp("runs") / "project"


@pytest.fixture(scope="module")
def ended(start: Callable[..., Future[Result]], folder: Path) -> Callable[[str], Result]:
    """Return a function that gives the result of a run by name; all runs are started together."""
    inputs = "torch.ones(3, 4)"
    targets = {
        "script": Target("script", "train.py", ("--steps", "2")),
        "module": Target("module", "train", ("--steps", "2")),
        "pytest": Target("pytest", "", ("-q", "test_net.py")),
        "entry": Target("entry", "net:Net", inputs=inputs),
        "fails": Target("entry", "net:Net", inputs="torch.ones(3, 5)"),
        "no-cuda": Target("entry", "net:sized", inputs=inputs),
        "fullgraph": Target("entry", "net:reads", inputs="torch.ones(3)"),
    }
    options = {"no-cuda": {"device": "cuda"}, "fullgraph": {"fullgraph": True}}
    runs = {name: start(folder, FILES, target, **options.get(name, {})) for name, target in targets.items()}
    return lambda name: runs[name].result()


def places(result: Result, during: str | None = None) -> list[tuple[str, int, str]]:
    """Return path, line and id of each break, without duplicates."""
    found: dict[tuple[str, int, str], ObservedBreak] = {}
    for each in result.breaks:
        if during is None or each.during == during:
            found[each.place.path, each.place.line, each.gb_ids[0]] = each
    return sorted(found)


EVAL = [
    ("net.py", 13, "GB0124"),
    ("net.py", 18, "GB0059"),
    ("net.py", 24, "GB0124"),
]
TRAINING = sorted([*EVAL, ("net.py", 15, "GB0059")])


def test_dynamo_agrees_with_a_script(ended: Callable[[str], Result], folder: Path) -> None:
    result = ended("script")
    assert (result.status, result.reason, result.exit_status) == ("ok", "", 3)
    assert places(result) == TRAINING
    assert {each.frame.function for each in result.recompiles} == {"forward", "helper"}
    logged = subprocess.run(
        [sys.executable, "train.py", "--steps", "2"],
        cwd=folder,
        env={**os.environ, "TORCH_LOGS": "graph_breaks", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert logged.returncode == 3, logged.stderr
    logged_places = re.findall(rf"Graph break in user code at {re.escape(str(folder))}/(\S+):(\d+)", logged.stderr)
    assert {(path, line) for path, line, _ in TRAINING} == {(path, int(line)) for path, line in logged_places}


def test_dynamo_agrees_with_a_module(ended: Callable[[str], Result]) -> None:
    result = ended("module")
    assert (result.status, result.reason, result.exit_status) == ("ok", "", 3)
    assert places(result) == TRAINING


def test_dynamo_agrees_with_tests(ended: Callable[[str], Result]) -> None:
    result = ended("pytest")
    assert (result.status, result.exit_status) == ("ok", 1)
    assert places(result) == [("net.py", 30, "GB0036"), ("net.py", 30, "GB0124")]
    assert {each.during for each in result.breaks} == {"test_net.py::test_breaks"}


def test_dynamo_agrees_with_an_entry(ended: Callable[[str], Result]) -> None:
    result = ended("entry")
    assert result.status == "ok"
    assert [each.name for each in result.passes] == ["eval", "train"]
    assert all(each.eager and each.compiled for each in result.passes)
    assert places(result, "eval") == EVAL
    assert places(result, "train") == TRAINING
    assert 12 not in from_ranges(result.ran["net.py"])
    assert {10, 13, 23} <= from_ranges(result.compiled["net.py"])
    assert not {19, 20} & from_ranges(result.compiled["net.py"])
    assert {19, 20} <= from_ranges(result.ran["net.py"])
    (loop,) = {each.outcome for each in result.breaks if each.place.line == 18}
    assert loop == "rest-eager"
    assert result.platform.torch and result.compile_s > 0 and result.graphs[0].operations


def test_dynamo_agrees_that_inputs_do_not_fit(ended: Callable[[str], Result]) -> None:
    result = ended("fails")
    assert result.status == "error"
    assert result.reason.startswith("eagerly (eval), it raised RuntimeError: mat1 and mat2 shapes cannot be multiplied")
    assert result.reason.endswith(" at net.py:10")


def test_dynamo_agrees_that_fullgraph_captures_more(ended: Callable[[str], Result]) -> None:
    assert (ended("fullgraph").status, places(ended("fullgraph"))) == ("ok", [])


def test_dynamo_agrees_that_there_is_no_such_device(ended: Callable[[str], Result]) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is one")
    result = ended("no-cuda")
    assert result.status == "missing"
    assert result.reason.startswith("there is no CUDA device for torch")
