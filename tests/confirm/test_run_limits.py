"""Every run ends with a result, whatever the user's code does, and leaves no process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future

import pytest

from gblint.confirm.jobs import Result, Target
from gblint.confirm.run import process_tree, supervisor

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what is left is looked up in /proc")

SHORT = {"seconds": 5.0}
RUDE = """
import os, shutil, subprocess, sys, tempfile

assert sys.stdin.read() == ""
sys.stdout.buffer.write(bytes(range(256)) * 100)
os.write(1, b"\\xff\\xfe\\x00")
shutil.rmtree(tempfile.gettempdir())
os.chdir("/")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time
        time.sleep(1000)
    os._exit(0)
subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(15, lambda *a: 0); time.sleep(1000)"])
"""
SCRIPTS = {
    "loop": ("def spin():\n    while True: pass\n\nspin()\n", SHORT),
    "deaf": (
        "import signal, time\nfor n in (1, 2, 3, 15):\n    signal.signal(n, signal.SIG_IGN)\ntime.sleep(1000)\n",
        SHORT,
    ),
    "forks": (
        "import os, time\nfor _ in range(7):\n    os.fork()\ntime.sleep(1000)\n",
        {"processes": 60},
    ),
    "balloon": (
        "held = []\nwhile True:\n    held.append(bytearray(b'x') * 50_000_000)\n",
        {"memory": 2 * 2**30},
    ),
    "segfault": ("import ctypes\n\ndef read():\n    ctypes.string_at(0)\n\nread()\n", {}),
    "rude": (RUDE, {}),
    "back-door": ("import os\nos._exit(7)\n", {}),
    "stops-its-supervisor": ("import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nwhile True: pass\n", {}),
    "kills-its-supervisor": (
        "import os, signal, time\ntime.sleep(1)\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass\n",
        {},
    ),
    "closes-all": ("import os\nos.closerange(0, 4096)\n", {}),
    "writes-everywhere": (
        "import contextlib, os\nfor number in range(64):\n    with contextlib.suppress(OSError):\n"
        "        os.write(number, b'0\\n{}\\n' * 1000)\n",
        {},
    ),
    "flood": ("import os\nfor _ in range(60):\n    os.write(1, b'x' * (25 << 20))\nos.write(1, b'the end')\n", {}),
    "removes-its-folder": (
        "import os, shutil, tempfile, time\nshutil.rmtree(os.path.dirname(tempfile.gettempdir()))\ntime.sleep(1000)\n",
        SHORT,
    ),
    "leaves": ("import sys\nsys.exit('enough')\n", {}),
    "raises": ("def f():\n    raise ValueError('no\\ngood')\n\nf()\n", {}),
    "no-package": ("import no_such_package.inner\n", {}),
    "syntax": ("def f(:\n", {}),
}


@pytest.fixture(scope="module")
def ended(start: Callable[..., Future[Result]], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Result]:
    """Return a function that gives the result of a run by name; all runs are started together."""
    folder = tmp_path_factory.mktemp("hostile")
    runs = {
        name: start(folder / name, {"script.py": text}, Target("script", "script.py"), limits=limits)
        for name, (text, limits) in SCRIPTS.items()
    }
    target = Target("entry", "net:Net", inputs="1")
    runs["entry-exits"] = start(folder / "entry-exits", {"net.py": "import sys\nsys.exit(4)\n"}, target)
    return lambda name: runs[name].result()


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [
        ("loop", "timeout", "it was still running after 5 seconds (--timeout), at script.py:2 in spin"),
        ("deaf", "timeout", "it was still running after 5 seconds (--timeout), at script.py:4 in <module>"),
        ("forks", "crash", "it started more than 60 processes"),
        ("balloon", "memory", "it used more than 2.0 GiB of memory (--memory)"),
        ("segfault", "crash", "it crashed: segmentation fault (SIGSEGV), at script.py:4 in read"),
        ("rude", "ok", ""),
        ("back-door", "ok", ""),
        ("stops-its-supervisor", "crash", "its supervisor process ended unexpectedly"),
        ("kills-its-supervisor", "crash", "its supervisor process ended unexpectedly"),
        ("closes-all", "ok", ""),
        ("writes-everywhere", "ok", ""),
        ("flood", "ok", ""),
        ("removes-its-folder", "crash", "its supervisor process ended unexpectedly"),
        ("leaves", "ok", ""),
        ("raises", "error", "it raised ValueError: no good at script.py:2"),
        ("no-package", "missing", "the package `no_such_package` is not installed at script.py:1"),
        ("syntax", "error", "it raised SyntaxError: "),
        ("entry-exits", "error", "it called sys.exit(4) at net.py:2"),
    ],
)
def test_every_run_has_a_result(ended: Callable[[str], Result], name: str, status: str, reason: str) -> None:
    result = ended(name)
    assert (result.status, result.reason[: len(reason)] if name == "syntax" else result.reason) == (status, reason)


@pytest.mark.parametrize(("name", "status"), [("rude", 0), ("back-door", 7), ("leaves", 1), ("raises", 1)])
def test_the_exit_status_is_that_of_the_script(ended: Callable[[str], Result], name: str, status: int) -> None:
    assert ended(name).exit_status == status


def test_the_end_of_the_output_is_kept(ended: Callable[[str], Result]) -> None:
    assert ended("leaves").output.splitlines()[-1] == "enough"
    assert ended("flood").output.endswith("x" * 3000 + "the end")
    assert 'File "' in ended("raises").output
    assert "gblint" not in ended("raises").output


def test_no_process_is_left(ended: Callable[[str], Result], left_behind: Callable[[], list[str]]) -> None:
    for name in SCRIPTS:
        ended(name)
    assert left_behind() == []


@pytest.mark.skipif(not process_tree.LINUX, reason="only Linux tells what a process waits for")
@pytest.mark.parametrize(
    ("busy", "processor", "spent"),
    [(True, 0.5, 0.5), (True, 40.0, 10.0), (False, 0.0, 10.0)],
    ids=["waits for a processor", "several threads", "waits for something else"],
)
def test_time_spent_does_not_depend_on_what_else_runs(
    busy: bool, processor: float, spent: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(supervisor.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(process_tree, "is_busy", lambda pids: busy)
    monkeypatch.setattr(process_tree, "processor_seconds", lambda pids: processor)
    clock = supervisor._RunClock()
    now[0] += 10.0
    assert clock.spent([1]) == spent


@pytest.mark.skipif(not process_tree.LINUX, reason="the processor time of a process is read from /proc")
def test_processor_time_of_processes_is_known() -> None:
    before = process_tree.processor_seconds([os.getpid()])
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    assert 0.05 < process_tree.processor_seconds([os.getpid()]) - before < 5
    assert process_tree.is_busy([os.getpid()])
    assert process_tree.processor_seconds([2**30]) == 0.0
