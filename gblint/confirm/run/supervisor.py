"""Supervisor of a run: starts the worker, enforces its limits, and ends all its processes.

It is a separate process, so that it can adopt orphans of the run and so that the run ends whenever gblint ends: gblint
holds the other end of its standard input.
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


def main() -> None:
    """Run the command in ``supervisor.json`` in the folder of the first argument, and write ``end.json`` there."""
    folder = Path(sys.argv[1])
    instructions = json.loads((folder / "supervisor.json").read_text(encoding="utf-8"))
    process_tree.adopt_orphans()
    start = time.monotonic()
    with (folder / "output").open("ab") as output:
        try:
            run = subprocess.Popen(
                instructions["command"],
                cwd=instructions["cwd"],
                env={**os.environ, **instructions["env"]},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            end: dict[str, Any] = {"how": "not started", "detail": str(error)}
        else:
            end = _watch(run, instructions, folder / "output")
            process_tree.kill_descendants(os.getpid() if process_tree.LINUX else run.pid)
    end["seconds"] = time.monotonic() - start
    unfinished = folder / "end.json.new"
    unfinished.write_text(json.dumps(end), encoding="utf-8")
    unfinished.replace(folder / "end.json")


def _watch(run: subprocess.Popen[bytes], instructions: dict[str, Any], output: Path) -> dict[str, Any]:
    """Wait until the run ends or exceeds a limit; return how it ended and its peak memory."""
    clock = _RunClock()
    peak_memory = 0
    while True:
        status = _status(run)
        if status is not None:
            return {"how": "exit", "status": status, "memory": peak_memory}
        if _wait_for_cancel():
            return {"how": "cancelled", "memory": peak_memory}
        pids = process_tree.descendants(os.getpid())
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
            # The file is open for appending, so the next output goes to the new end.
            os.truncate(output, 0)


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


def _status(run: subprocess.Popen[bytes]) -> int | None:
    """Return the exit status of the run (negative for a signal), or None while it runs; ended orphans are reaped."""
    if not hasattr(os, "WNOHANG"):
        return run.poll()
    status = process_tree.reap().get(run.pid)
    return None if status is None else os.waitstatus_to_exitcode(status)


def _wait_for_cancel() -> bool:
    """Wait one interval; return True if gblint has ended or cancels the run."""
    if os.name == "nt":  # select() on Windows accepts only sockets
        time.sleep(POLL_SECONDS)
        return False
    ready, _, _ = select.select([sys.stdin], [], [], POLL_SECONDS)
    return bool(ready)
