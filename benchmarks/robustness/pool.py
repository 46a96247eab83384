"""Lint and fix files in child processes, so that a file that crashes a process is known."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from benchmarks.robustness.files import Outcome, go_through

LARGEST = 1 << 30
# A process is replaced after this many files, so that its memory does not grow without end.
RENEWED = 200


class _Process:
    """A process that lints and fixes files one after another."""

    def __init__(self, functions: bool, fixes: bool) -> None:
        context: Any = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, functions, fixes), daemon=True)
        self._process.start()
        theirs.close()
        self.path = ""
        self.count = 0
        self._since = 0.0

    def give(self, path: Path) -> None:
        self.path, self.count = str(path), self.count + 1
        self._since = _seconds(self._process.pid)
        self.connection.send(self.path)

    def receive(self) -> Outcome:
        try:
            outcome = self.connection.recv()
            assert isinstance(outcome, Outcome)
            return outcome
        except (EOFError, OSError):
            self._process.join()
            return Outcome(self.path, faults=[f"the process ended with {self._process.exitcode}"])

    def spent(self) -> float:
        """Return the seconds since it got its file: of processor time if that is known."""
        return _seconds(self._process.pid) - self._since

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.connection.close()


def _seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _serve(connection: Connection, functions: bool, fixes: bool) -> None:
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            connection.send(go_through(connection.recv(), functions=functions, fixes=fixes))


def run(paths: list[Path], jobs: int, longest: float, *, functions: bool, fixes: bool) -> Iterator[Outcome]:
    """Yield the outcome of each file, in the order of completion."""
    left = iter(paths)
    busy: dict[Connection, _Process] = {}

    def begin(process: _Process | None) -> None:
        path = next(left, None)
        if path is None:
            if process is not None:
                process.end()
            return
        process = process or _Process(functions, fixes)
        process.give(path)
        busy[process.connection] = process

    for _ in range(jobs):
        begin(None)
    while busy:
        for ready in wait([*busy], timeout=1.0):
            assert isinstance(ready, Connection)
            process = busy.pop(ready)
            outcome = process.receive()
            yield outcome
            worn = process.count >= RENEWED or outcome.faults or outcome.memory > LARGEST // 2
            if worn:
                process.end()
            begin(None if worn else process)
        for process in [*busy.values()]:
            if process.spent() > 3 * longest:
                del busy[process.connection]
                process.end()
                yield Outcome(process.path, faults=[f"not done after {3 * longest:g} s"])
                begin(None)
