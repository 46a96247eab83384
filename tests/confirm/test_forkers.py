"""The jobs of a verification are run by forks of one process that has imported torch, with the results of new ones."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gblint.confirm.earlier_import import COLD_START
from gblint.confirm.jobs import ComparisonStep, Job, Limits, Result, Target
from gblint.confirm.run import runner, supervisors

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forkers are used on Linux only"),
    pytest.mark.skipif(any(map(os.path.exists, supervisors._ACCELERATORS)), reason="no forks beside an accelerator"),
]

# Each run adds the id of the process that started it to a file.
PARENT = "import os\n\nwith open('parents', 'a') as file:\n    print(os.getppid(), file=file)\n"
ADD = "import torch\n\n\ndef f(x):\n    return x + 1\n"
SCRIPTS = {
    "plain": PARENT + ADD,
    "sets-a-variable": PARENT + "os.environ['TORCH_LOGS'] = 'dynamo'\n" + ADD,
    "exits": PARENT + f"os._exit({COLD_START})\n",
    "kills-its-forker": PARENT + "import signal\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass\n",
    "stops-its-forker": PARENT + "import signal\nos.kill(os.getppid(), signal.SIGSTOP)\nwhile True: pass\n",
    "leaves-a-process": PARENT + "if os.fork() == 0:\n    import time\n    time.sleep(1000)\n" + ADD,
    "spins": PARENT + "while True: pass\n",
    "raises": PARENT + "raise ValueError('no good')\n",
}


@pytest.fixture(scope="module", autouse=True)
def torch() -> None:
    pytest.importorskip("torch")


@pytest.fixture
def run(tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    """Run the function of a script as a job of a verification."""
    (tmp_path / "snapshots").mkdir()
    for name, text in SCRIPTS.items():
        (tmp_path / f"{name.replace('-', '_')}.py").write_text(text, encoding="utf-8")

    def one(name: str, **limits: float) -> Result:
        target = Target("entry", f"{name.replace('-', '_')}:f", inputs="(torch.ones(2),)")
        step = ComparisonStep(str(tmp_path / "snapshots"), f"{name}.pt", first=True)
        return runner.run(Job(name, target, str(tmp_path), trial=step, limits=Limits(**{"seconds": 60.0, **limits})))

    with supervisors.forkers():
        yield one


def _parents(folder: Path) -> list[str]:
    return (folder / "parents").read_text().splitlines()


def test_jobs_have_one_parent(run: Callable[..., Result], tmp_path: Path) -> None:
    first, failed, second = run("plain"), run("raises"), run("plain")
    assert [each.status for each in (first, second)] == ["ok", "ok"]
    assert (failed.status, failed.reason) == ("error", "it raised ValueError: no good at raises.py:5")
    assert len(set(_parents(tmp_path))) == 1
    assert len(first.graphs) == len(second.graphs) > 0


@pytest.mark.parametrize("name", ["sets-a-variable", "exits"])
def test_torch_is_imported_anew_where_that_matters(run: Callable[..., Result], tmp_path: Path, name: str) -> None:
    result = run(name)
    assert len(set(_parents(tmp_path))) == 2
    assert result.status == ("ok" if name == "sets-a-variable" else "error")


@pytest.mark.parametrize(("name", "status"), [("kills-its-forker", "crash"), ("stops-its-forker", "timeout")])
def test_a_lost_forker_is_replaced(run: Callable[..., Result], tmp_path: Path, name: str, status: str) -> None:
    run("plain")  # torch is imported now
    assert run(name, seconds=3.0).status == status
    assert run("plain").status == "ok"
    first, lost, new = _parents(tmp_path)
    assert first == lost != new


def test_limits_hold(run: Callable[..., Result], tmp_path: Path) -> None:
    run("plain")
    result = run("spins", seconds=3.0)
    assert result.status == "timeout"
    assert result.reason == "it was still running after 3 seconds (--timeout), at spins.py:5 in <module>"
    assert run("plain").status == "ok"


def test_processes_of_a_run_end_with_it(
    run: Callable[..., Result], tmp_path: Path, left_behind: Callable[[], list[str]]
) -> None:
    assert run("leaves-a-process").status == "ok"
    assert left_behind() == []
    run("plain")
    assert len(set(_parents(tmp_path))) == 1


def test_forkers_end(tmp_path: Path, run: Callable[..., Result]) -> None:
    run("plain")
    (parent,) = set(_parents(tmp_path))
    assert os.path.exists(f"/proc/{parent}")
    supervisors.cancel()
    end = time.monotonic() + 30.0
    while os.path.exists(f"/proc/{parent}") and time.monotonic() < end:
        time.sleep(0.1)
    assert not os.path.exists(f"/proc/{parent}")
    assert run("plain").status == "ok"
