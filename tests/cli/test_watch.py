"""``gblint check --watch``: a report after each change, from what is kept of the run before if a run takes long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gblint.cli import watching
from tests.cli.programs import BEFORE, ITEM, SIGNED

Write = Callable[..., Path]
Gblint = Callable[..., Any]
# A program whose module level calls a function.
LIMITED = """\
import torch


def limit():
    return 1


LIMIT = limit()


@torch.compile
def f(x):
    if LIMIT > 1:
        print(x)
    return x[: x.sum().item()]
"""
# The command, which keeps the project even if a run is quick.
KEEPING = """\
from gblint.cli import watching
from gblint.cli.main import main

watching.MIN_SECONDS_TO_KEEP = 0.0
main()
"""


@pytest.fixture
def here(project: Write) -> Path:
    return project({"m.py": BEFORE, "gblint.toml": ""})


class Watch:
    """``gblint check --watch`` in a process of its own, with its output so far."""

    def __init__(self, folder: Path, *arguments: str, keeps: bool = False) -> None:
        program = ["-c", KEEPING] if keeps else ["-m", "gblint"]
        command = [sys.executable, *program, "check", "--watch", "--output-format", "concise", *arguments]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "XDG_CACHE_HOME": str(folder / ".cache")}
        # A background job of a shell ignores this signal, and its children inherit that.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.process = subprocess.Popen(command, cwd=folder, env=environment, **pipes)
        signal.signal(signal.SIGINT, handler)
        self.lines: list[str] = []
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout or ()), daemon=True).start()

    def report(self, number: int) -> list[str]:
        """Return the lines of one of its reports; the first report has the number 1."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            text = "".join(self.lines).split("note: watching for changes")
            if len(text) > number:
                return text[number - 1].splitlines()[1 if number > 1 else 0 :]
            time.sleep(0.05)
        raise AssertionError(self.lines)


@pytest.fixture
def watch(here: Path) -> Iterator[Callable[..., Watch]]:
    started: list[Watch] = []

    def start(*arguments: str, keeps: bool = False) -> Watch:
        started.append(Watch(here, *arguments, keeps=keeps))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT for one process")
def test_watch(here: Path, watch: Callable[..., Watch]) -> None:
    running = watch()
    assert [line.split()[1] for line in running.report(1) if line.startswith("m.py:")] == [SIGNED, ITEM]
    (here / "m.py").write_text(BEFORE.replace("    positive = x.is_signed()\n", ""))
    changed, *lines = running.report(2)
    assert changed == "note: changed: m.py"
    assert [line.split()[1] for line in lines if line.startswith("m.py:")] == [ITEM]
    # A new Python file, and a new file of another kind, which is ignored.
    (here / "notes.txt").write_text("")
    (here / "n.py").write_text(BEFORE)
    assert running.report(3)[0] == "note: changed: n.py"
    # An invalid configuration does not end the watch.
    (here / "gblint.toml").write_text("ignor = []\n")
    assert "unknown key 'ignor'" in "\n".join(running.report(4))
    (here / "gblint.toml").write_text('ignore = ["GBL"]\n')
    assert any("No graph breaks" in line or "Found" not in line for line in running.report(5))
    (here / "n.py").unlink()
    assert running.report(6)[0] == "note: changed: n.py"
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(30) == 130
    assert not any("Traceback" in line for line in running.lines)


def codes(report: list[str]) -> list[str]:
    return [line.split()[1] for line in report if line.startswith("m.py:")]


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT for one process")
def test_watch_of_a_project_that_is_kept(here: Path, watch: Callable[..., Watch]) -> None:
    path = here / "m.py"
    path.write_text(LIMITED)
    running = watch(keeps=True)
    assert codes(running.report(1)) == [ITEM]
    path.write_text(LIMITED.replace("    if LIMIT", "    x.is_signed()\n    if LIMIT"))
    changed, *lines = running.report(2)
    assert changed == "note: changed: m.py"
    assert codes(lines) == [SIGNED, ITEM]
    # A file that cannot be parsed: only the error, until it can be.
    path.write_text(LIMITED.replace("    if LIMIT", "    x.is_signed(\n    if LIMIT"))
    assert running.report(3)[1:] == ["error: m.py:13: syntax error: '(' was never closed"]
    path.write_text(LIMITED)
    assert codes(running.report(4)) == [ITEM]
    # An edit outside functions, and one inside them after it.
    path.write_text("import os\n" + LIMITED)
    assert codes(running.report(5)) == [ITEM]
    path.write_text("import os\n" + LIMITED.replace("x[: x.sum().item()]", "x"))
    assert codes(running.report(6)) == []
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(30) == 130
    assert not any("Traceback" in line for line in running.lines)


def test_a_run_from_the_start_corrects_what_is_kept(here: Path, watch: Callable[..., Watch]) -> None:
    path = here / "m.py"
    path.write_text(LIMITED)
    running = watch(keeps=True)
    assert codes(running.report(1)) == [ITEM]
    edited = LIMITED.replace("    if LIMIT", "    x.is_signed()\n    if LIMIT")
    path.write_text(edited)
    assert codes(running.report(2)) == [SIGNED, ITEM]
    # The module level has called the function already.
    path.write_text(edited.replace("return 1", "return 2"))
    assert codes(running.report(3)) == [SIGNED, ITEM]
    assert codes(running.report(4)) == ["GBL401", SIGNED, ITEM]


def test_without_a_cache_the_run_from_the_start_is_made_here() -> None:
    watched, runs = watching.WatchedRun(), []
    watched.is_quick = True

    def once(given: watching.WatchedRun | None) -> int:
        runs.append((given, watched.is_quick))
        return 0

    nothing = watching.FileStamps({}, {})
    assert watching._run_from_the_start(once, watched, nothing, list, {"no_cache": True, "paths": ()}) == []
    assert runs == [(watched, False)]


@pytest.mark.parametrize(
    "options",
    [["--fix"], ["--diff"], ["--add-noqa"], ["--output-file", "x"], ["--changed"], ["-"], ["--output-format", "json"]],
)
def test_what_does_not_go_with_watch(here: Path, gblint: Gblint, options: list[str]) -> None:
    result = gblint("check", "--watch", *options)
    assert result.status == 2
    assert result.err.startswith("error: --watch ")
