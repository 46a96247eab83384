"""Supervisor of runs: starts the worker, enforces its limits, and ends all its processes.

It is a separate process, so that it can adopt orphans of the run and so that the run ends whenever gblint ends: gblint
holds the other end of its standard input. A supervisor with a forker runs several jobs, one after another.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from gblint.confirm.run import process_tree

POLL_SECONDS = 0.1  # seconds between two checks of the limits
MAX_OUTPUT_BYTES = 256 * 2**20  # bytes
KEPT_OUTPUT_BYTES = 64 * 2**10  # bytes of the end of a longer output
_SHORTEN_TRIES = 10
FORKER_SECONDS = 2.0  # seconds to wait until a forker says that a killed run has ended


def main() -> None:
    """Run the job in the folder of the first argument, and with a forker those in the lines of standard input.

    The command is in ``supervisor.json`` in the folder; ``end.json`` there says how the run ended. With a forker a line
    is printed at the end of each run.
    """
    process_tree.adopt_orphans()
    line, forker = sys.argv[1], None
    while line:
        folder = Path(line.rstrip("\n"))
        instructions = json.loads((folder / "supervisor.json").read_text(encoding="utf-8"))
        if instructions["forker"] and forker is None:
            forker = _Forker(instructions)
        _supervise(folder, instructions, forker)
        if forker is None:
            return
        print(flush=True)
        line = sys.stdin.readline()
    process_tree.kill_descendants(os.getpid())


def _supervise(folder: Path, instructions: dict[str, Any], forker: _Forker | None) -> None:
    """Run one job to its end, and write how it ended."""
    start = time.monotonic()
    output = folder / "output"
    output.touch()
    try:
        run = _Process(instructions, output) if forker is None else forker.fork(instructions, folder)
    except OSError as error:
        end: dict[str, Any] = {"how": "not started", "detail": str(error)}
    else:
        end = _watch(run, instructions, output)
        run.kill()
    end["seconds"] = time.monotonic() - start
    unfinished = folder / "end.json.new"
    unfinished.write_text(json.dumps(end), encoding="utf-8")
    unfinished.replace(folder / "end.json")


class _Process:
    """A run in a new process."""

    def __init__(self, instructions: dict[str, Any], output: Path) -> None:
        with output.open("ab") as file:
            self._run = subprocess.Popen(
                instructions["command"],
                cwd=instructions["cwd"],
                env={**os.environ, **instructions["env"]},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def pids(self) -> list[int]:
        """Return the ids of the processes of the run."""
        return process_tree.descendants(os.getpid())

    def status(self) -> int | None:
        """Return the exit status (negative for a signal), or None while it runs; ended orphans are reaped."""
        if not hasattr(os, "WNOHANG"):
            return self._run.poll()
        status = process_tree.reap().get(self._run.pid)
        return None if status is None else os.waitstatus_to_exitcode(status)

    def kill(self) -> None:
        """Kill all processes of the run."""
        process_tree.kill_descendants(os.getpid() if process_tree.LINUX else self._run.pid)


class _Forker:
    """A process that forks for each run."""

    def __init__(self, instructions: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            instructions["command"],
            cwd=instructions["cwd"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self._statuses = self._process.stdin, self._process.stdout
        # A line says that torch is imported; the time limit does not count that.
        wanted, ended = self._statuses.fileno(), sys.stdin.fileno()
        ready, _, _ = select.select([wanted, ended], [], [], instructions["seconds"])
        self._usable = wanted in ready and bool(self._statuses.readline())
        self._running = False

    def fork(self, instructions: dict[str, Any], folder: Path) -> _Forker:
        """Start a run; raises OSError if the forker has ended or takes too long to start."""
        if not self._usable:
            raise OSError("torch was not imported in time")
        self._input.write(json.dumps({"folder": str(folder), "env": instructions["env"]}).encode() + b"\n")
        self._input.flush()
        self._running = True
        return self

    def pids(self) -> list[int]:
        """Return the ids of the processes of the run."""
        return [pid for pid in process_tree.descendants(os.getpid()) if pid != self._process.pid]

    def status(self, seconds: float = 0.0) -> int | None:
        """Return the exit status (negative for a signal), or None while it runs; ended orphans are reaped.

        The forker itself may have been ended by the run: then it is a crash.
        """
        process_tree.reap()
        if not select.select([self._statuses], [], [], seconds)[0]:
            return None
        self._running = False
        line = self._statuses.readline()
        return os.waitstatus_to_exitcode(int(line)) if line else -9

    def kill(self) -> None:
        """Kill all processes of the run, and the forker if it does not say that the run has ended."""
        process_tree.kill_descendants(os.getpid(), self._process.pid)
        if self._running and self.status(FORKER_SECONDS) is None:
            process_tree.kill_descendants(os.getpid())


def _watch(run: _Process | _Forker, instructions: dict[str, Any], output: Path) -> dict[str, Any]:
    """Wait until the run ends or exceeds a limit; return how it ended and its peak memory."""
    clock = _RunClock()
    peak_memory = 0
    while True:
        status = run.status()
        if status is not None:
            return {"how": "exit", "status": status, "memory": peak_memory}
        if _wait_for_cancel():
            return {"how": "cancelled", "memory": peak_memory}
        pids = run.pids()
        memory = process_tree.used_memory(pids)
        peak_memory = max(peak_memory, memory)
        for how, exceeded in (
            ("timeout", clock.spent(pids) > instructions["seconds"]),
            ("memory", instructions["memory"] is not None and memory > instructions["memory"]),
            ("processes", len(pids) > instructions["processes"]),
        ):
            if exceeded:
                return {"how": how, "memory": memory, "processes": len(pids)}
        if output.stat().st_size > MAX_OUTPUT_BYTES:
            with process_tree.paused(pids):  # what it writes meanwhile would be lost
                _shorten(output)


def _shorten(output: Path) -> None:
    """Remove all of a file but its last bytes, once it no longer grows."""
    with output.open("ab+") as file:
        for _ in range(_SHORTEN_TRIES):
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - KEPT_OUTPUT_BYTES, 0))
            kept = file.read(KEPT_OUTPUT_BYTES)
            if os.fstat(file.fileno()).st_size == size:
                break  # else the run has written more meanwhile
            time.sleep(0.02)
        file.truncate(0)
        file.write(kept)


class _RunClock:
    """The time that a run spends: it does not count while the run waits for a processor that others use."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._busy = self._idle = 0.0

    def spent(self, pids: list[int]) -> float:
        """Return the seconds spent until now: processor time while it works, time on the clock while it waits."""
        now = time.monotonic()
        passed, self._last = now - self._last, now
        if not process_tree.LINUX:
            self._busy += passed
            return self._busy
        if process_tree.is_busy(pids):
            self._busy += passed
        else:
            self._idle += passed
        # Several threads use more processor time than passes on the clock.
        return self._idle + min(self._busy, process_tree.processor_seconds(pids))


def _wait_for_cancel() -> bool:
    """Wait one interval; return True if gblint has ended or cancels the run."""
    if os.name == "nt":  # select() on Windows accepts only sockets
        time.sleep(POLL_SECONDS)
        return False
    ready, _, _ = select.select([sys.stdin], [], [], POLL_SECONDS)
    return bool(ready)
