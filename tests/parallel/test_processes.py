"""Several processes: neither their number nor the order of the paths changes the report."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gblint.config.settings import Config
from gblint.diagnostics.report import FileError
from gblint.parallel import pool
from gblint.pipeline import scan, unit_runner, work_units
from gblint.pipeline.lint import LintRequest, lint
from gblint.project import project
from gblint.report import json

pytestmark = pytest.mark.slow

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked on Linux only")
HERE = Path(__file__).parent.parent
PROJECTS = (HERE / "confirm" / "modules", HERE.parent / "examples" / "demo", HERE / "corpus" / "verified")


@pytest.fixture(autouse=True)
def _small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_units, "MAX_UNIT_BYTES", 1)
    monkeypatch.setattr(scan, "UNITS_PER_PROCESS", 1)
    monkeypatch.setattr(work_units, "ENTRIES_PER_UNIT", 1)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork processes although other tests may have left threads running: these hold no locks."""
    monkeypatch.setattr(pool, "may_fork", lambda: sys.platform.startswith("linux"))


def _report(paths: tuple[Path, ...], jobs: int, assume: str = "always") -> str:
    outcome = lint(LintRequest(paths), Config(paths[0]).with_values(assume_entries=assume), jobs=jobs)
    return json.render(outcome.report, outcome.source) + str(outcome.warnings)


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
@pytest.mark.parametrize("assume", ["auto", "always"])
def test_the_number_of_processes_changes_nothing(project: Path, assume: str) -> None:
    alone = _report((project,), 1, assume)
    assert _report((project,), 2, assume) == alone
    assert _report((project,), 3, assume) == alone


def test_the_order_of_the_paths_changes_nothing() -> None:
    files = sorted(PROJECTS[0].glob("*.py"))
    mixed = files[:]
    random.Random(1).shuffle(mixed)
    assert _report(tuple(mixed), 2) == _report(tuple(files), 1)


def test_the_depth_of_the_caller_changes_nothing(tmp_path: Path) -> None:
    calls = "".join(f"    def f{each}(self, x):\n        return self.f{each + 1}(x)\n" for each in range(60))
    (tmp_path / "m.py").write_text(
        "import torch\nclass N(torch.nn.Module):\n    def forward(self, x):\n        return self.f0(x)\n"
        f"{calls}    def f60(self, x):\n        return x.item()\n"
    )

    def below(depth: int) -> str:
        return _report((tmp_path,), 1) if depth == 0 else below(depth - 1)

    assert below(300) == below(0)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_hash_seed_changes_nothing(seed: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gblint", "check", str(PROJECTS[0]), "--output-format=json", "--exit-zero"]
    command += ["--assume-entries=always", "--jobs=2", "--no-cache"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": seed}, check=True
    )
    again = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == again.stdout


class _Squares:
    """A worker that computes squares, and is killed for the numbers that ``killed`` accepts."""

    def __init__(self, killed: Callable[[int], bool] = lambda number: False) -> None:
        self._killed = killed

    def do(self, unit: int, step: Callable[[str], None]) -> int:
        if self._killed(unit):
            os.kill(os.getpid(), signal.SIGKILL)
        if unit < 0:
            raise ValueError("no square")
        return unit * unit

    def close(self) -> int:
        return -1


def _run(units: list[int], jobs: int, worker: _Squares) -> pool.PoolResult:
    weights = [number % 3 for number in range(len(units))]
    return pool.run(units, weights, jobs, worker, _Squares, lambda number: None)


@pytest.mark.usefixtures("forked")
def test_each_unit_is_done_once() -> None:
    done = _run(list(range(20)), 3, _Squares())
    assert done.results == {number: number * number for number in range(20)}
    assert done.final_results == [-1, -1, -1]
    assert not done.lost and not done.killed


def test_with_another_thread_processes_are_spawned() -> None:
    alone = _report((PROJECTS[1],), 1)
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert not pool.may_fork()
        assert _report((PROJECTS[1],), 2) == alone
    finally:
        stop.set()
        thread.join()


@pytest.mark.usefixtures("forked")
@linux
def test_the_unit_of_a_killed_process_is_done_again(tmp_path: Path) -> None:
    mark = tmp_path / "killed"

    def once(number: int) -> bool:
        if number != 5 or mark.exists():
            return False
        mark.touch()
        return True

    done = _run(list(range(10)), 2, _Squares(once))
    assert done.results == {number: number * number for number in range(10)}
    assert done.killed == ["was killed by SIGKILL"]


@pytest.mark.usefixtures("forked")
@linux
def test_a_unit_that_kills_every_process_is_given_up() -> None:
    done = _run(list(range(10)), 2, _Squares(lambda number: number == 5))
    assert sorted(done.results) == [0, 1, 2, 3, 4, 6, 7, 8, 9]
    assert done.lost == {5: "a process was killed by SIGKILL"}


@pytest.mark.usefixtures("forked")
def test_a_failing_unit_is_lost() -> None:
    done = _run([1, -1, 2], 2, _Squares())
    assert done.results == {0: 1, 2: 4}
    assert done.lost == {1: "ValueError: no square"}


@pytest.mark.usefixtures("forked")
@linux
def test_lost_units_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(f"import torch\n# {name}\n")
    parent, whole = os.getpid(), unit_runner.UnitRunner.do

    def do(self: unit_runner.UnitRunner, unit: work_units.WorkUnit, step: unit_runner.Step) -> work_units.UnitResult:
        if os.getpid() != parent and 1 in unit.files:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(self, unit, step)

    monkeypatch.setattr(unit_runner.UnitRunner, "do", do)
    report = lint(LintRequest((tmp_path,)), Config(root=tmp_path), jobs=2).report
    assert report.files == 3
    assert FileError("gblint", 0, "a process was killed by SIGKILL; its work was started again") in report.errors
    lost = [error for error in report.errors if error.path.endswith("b.py")]
    assert [error.message for error in lost] == [
        "1 file from here on is not checked: a process was killed by SIGKILL",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_stops_all_processes(tmp_path: Path) -> None:
    for number in range(160):
        body = "".join(f"    x = x + {each}\n" for each in range(3000))
        (tmp_path / f"m{number}.py").write_text(
            f"import torch\nclass N(torch.nn.Module):\n  def forward(self, x):\n{body}    return x\n"
        )
    command = [sys.executable, "-m", "gblint", "check", str(tmp_path), "--jobs=2", "--no-cache"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)
    _, shown = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in shown


@pytest.mark.parametrize("jobs", [1, 2])
def test_evicted_files_change_nothing(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = _report(PROJECTS, 1)
    monkeypatch.setattr(project, "MOST_SOURCE", 1)
    monkeypatch.setattr(work_units, "MAX_UNIT_BYTES", 1)
    assert _report(PROJECTS, jobs) == expected


@linux
@pytest.mark.usefixtures("forked")
def test_few_large_units_are_shared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x.item()\n"
    for number in range(8):
        (tmp_path / f"m{number}.py").write_text(source + "# \n" * 20_000, encoding="utf-8")
    started: list[int] = []
    run = pool.run

    def counted_run(
        units: list[work_units.WorkUnit], weights: list[int], jobs: int, *rest: Any, **named: Any
    ) -> pool.PoolResult:
        started.append(jobs)
        return run(units, weights, jobs, *rest, **named)

    monkeypatch.setattr(work_units, "MAX_UNIT_BYTES", 200_000)
    monkeypatch.setattr(scan, "UNITS_PER_PROCESS", 50)
    monkeypatch.setattr(pool, "run", counted_run)
    shared, alone = _report((tmp_path,), 2), _report((tmp_path,), 1)
    assert started == [2]
    assert shared == alone
    assert "m7.py" in shared


def test_the_last_units_of_a_run_are_the_lightest() -> None:
    (run,) = pool._runs([5, 0, 1, 9, 5, 2], 1)
    assert list(run) == [3, 0, 4, 5, 2]
    weights = [1, 2, 3, *range(1, 1 + pool.SORTED_LAST)]
    first, second = pool._runs([*weights, *weights], 2)
    assert list(first)[:3] == [0, 1, 2]
    assert [weights[number] for number in list(first)[3:]] == sorted(weights[3:], reverse=True)
    assert list(second)[:3] == [11, 12, 13]


PARTS = "".join(f"def part_{n}(x):\n    return [x + 1, x + 2, x + 3, x + 4]\n" for n in range(400))
CALLS = "".join(f"    part_{n}(1)\n" for n in range(400))
TOOL = f"""\
import time

{PARTS}
def last():
    time.sleep(1)

def warm(x):
{CALLS}
def near(x):
    time.monotonic()
{CALLS}    last()
"""
MODEL = """\
import torch
import tool

class {}(torch.nn.Module):
    def forward(self, x):
        tool.{}(x)
        return x
"""


def test_earlier_traces_change_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(work_units, "MAX_UNIT_BYTES", 400_000)
    files = {
        "a.py": MODEL.format("A", "warm"),
        "b.py": MODEL.format("B", "near") + MODEL.format("C", "near"),
        "venv/pyvenv.cfg": "",
        "venv/lib/python3.11/site-packages/tool.py": TOOL,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def found(*names: str) -> list[tuple[int, str, tuple[str, ...]]]:
        paths = tuple(tmp_path / name for name in names)
        report = lint(LintRequest(paths), Config(tmp_path).with_values(assume_entries="always")).report
        return [
            (each.span.line, each.message, each.entries) for each in report.findings if each.span.path.endswith("b.py")
        ]

    assert found("a.py", "b.py") == found("b.py") != []
    assert found("b.py", "a.py") == found("b.py")
