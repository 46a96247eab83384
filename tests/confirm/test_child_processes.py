"""Breaks in child processes of a run are recorded, too."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from gblint.confirm.jobs import Result, Target
from gblint.confirm.line_ranges import from_ranges

pytestmark = pytest.mark.slow

STEP = """\
import torch

def step(x):
    y = x * x.sum().item()
    return y + 1

def run():
    return torch.compile(step, backend="eager")(torch.ones(3))
"""
# Each starts two processes that run step.py.
RANKS = """\
import os
import step
assert os.environ["WORLD_SIZE"] == "2"
step.run()
"""
SPAWNED = """\
import multiprocessing, sys
import step

def work(number):
    step.run()

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    several = [context.Process(target=work, args=(number,)) for number in range(2)]
    for each in several:
        each.start()
    for each in several:
        each.join()
        assert each.exitcode == 0
"""
# The user's own sitecustomize runs, although gblint adds another one.
CUSTOM = """\
import os
os.environ["CUSTOMIZED"] = "yes"
"""
CUSTOMIZED = """\
import os, subprocess, sys
os.environ["PYTHONPATH"] += os.pathsep + os.getcwd()
code = "import os, step; assert os.environ['CUSTOMIZED'] == 'yes'; step.run(); step.run(); os._exit(0)"
subprocess.run([sys.executable, "-c", code], check=True)
subprocess.run([sys.executable, "-c", code], check=True)
"""
FILES = {"step.py": STEP, "ranks.py": RANKS, "spawned.py": SPAWNED, "customized.py": CUSTOMIZED}
TARGETS = {
    "torchrun": Target("module", "torch.distributed.run", ("--standalone", "--nproc-per-node=2", "ranks.py")),
    "spawn": Target("script", "spawned.py", ("spawn",)),
    "fork": Target("script", "spawned.py", ("fork",)),
    "sitecustomize": Target("script", "customized.py"),
}


@pytest.fixture(scope="module")
def runs(start: Callable[..., Future[Result]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Future[Result]]:
    """One run for each way of starting processes."""
    folder = tmp_path_factory.mktemp("children")
    files = {name: {**FILES, **({"sitecustomize.py": CUSTOM} if name == "sitecustomize" else {})} for name in TARGETS}
    return {name: start(folder / name, files[name], target) for name, target in TARGETS.items()}


@pytest.mark.parametrize("name", TARGETS)
def test_a_break_in_two_processes_is_reported_once_with_its_count(runs: dict[str, Future[Result]], name: str) -> None:
    if name == "fork" and not hasattr(__import__("os"), "fork"):
        pytest.skip("there is no fork here")
    result = runs[name].result()
    assert (result.status, result.exit_status) == ("ok", 0), f"{result.reason}\n{result.output}"
    assert [(each.place.path, each.place.line, each.gb_ids, each.count) for each in result.breaks] == [
        ("step.py", 4, ("GB0124",), 2)
    ]
    assert 4 in from_ranges(result.ran["step.py"])
    assert 5 in from_ranges(result.compiled["step.py"])
    assert len(result.graphs) in (2, 4)


def test_workers_of_pytest(start: Callable[..., Future[Result]], tmp_path: Path) -> None:
    if importlib.util.find_spec("xdist") is None:
        pytest.skip("pytest-xdist is not installed")
    tests = "import step\ndef test_one(): step.run()\ndef test_two(): step.run()\n"
    result = start(
        tmp_path / "xdist", {"step.py": STEP, "test_step.py": tests}, Target("pytest", args=("-n", "2"))
    ).result()
    assert [(each.place.line, each.count) for each in result.breaks] == [(4, 2)], result.output


def test_a_child_that_is_not_python_is_ignored(start: Callable[..., Future[Result]], tmp_path: Path) -> None:
    isolated = [sys.executable, "-I", "-c", "pass"]
    script = f"import subprocess, step\nsubprocess.run(['true'])\nsubprocess.run({isolated}, check=True)\nstep.run()\n"
    result = start(tmp_path / "plain", {"step.py": STEP, "plain.py": script}, Target("script", "plain.py")).result()
    assert [each.count for each in result.breaks] == [1], result.output


def test_a_pool_that_is_not_shut_down_does_not_block_the_run(
    start: Callable[..., Future[Result]], tmp_path: Path
) -> None:
    script = (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor()\npool.submit(print, 'done')\n"
    )
    result = start(tmp_path / "pool", {"pool.py": script}, Target("script", "pool.py"), limits={"seconds": 60}).result()
    assert (result.status, result.output.strip()) == ("ok", "done")
