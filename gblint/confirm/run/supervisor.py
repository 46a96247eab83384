"""Stands between gblint and a run: starts it, holds it to its limits, and leaves no process of it behind.

It is a process of its own, so that it can adopt what the run leaves, and so that the run ends when gblint does, however
that ends: gblint holds the other end of its standard input.
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

POLL_SECONDS = 0.1  # seconds between two looks at the run
MAX_OUTPUT_BYTES = 256 * 2**20  # bytes


def main() -> None:
    """Do what ``guard.json`` in the folder of the first argument says, and write ``end.json`` there."""
    folder = Path(sys.argv[1])
    order = json.loads((folder / "guard.json").read_text(encoding="utf-8"))
    process_tree.adopt_orphans()
    start = time.monotonic()
    with (folder / "output").open("ab") as output:
        try:
            run = subprocess.Popen(
                order["command"],
                cwd=order["cwd"],
                env={**os.environ, **order["env"]},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            end: dict[str, Any] = {"how": "not started", "detail": str(error)}
        else:
            end = _watch(run, order, folder / "output")
            process_tree.kill_descendants(os.getpid() if process_tree.LINUX else run.pid)
    end["seconds"] = time.monotonic() - start
    unfinished = folder / "end.json.new"
    unfinished.write_text(json.dumps(end), encoding="utf-8")
    unfinished.replace(folder / "end.json")


def _watch(run: subprocess.Popen[bytes], order: dict[str, Any], output: Path) -> dict[str, Any]:
    """Wait until the run ends or goes over a limit; how it ended, and the most memory that it held."""
    until = time.monotonic() + order["seconds"]
    most = 0
    while True:
        status = _status(run)
        if status is not None:
            return {"how": "exit", "status": status, "memory": most}
        if _wait():
            return {"how": "cancelled", "memory": most}
        below = process_tree.descendants(os.getpid())
        held = process_tree.used_memory(below)
        most = max(most, held)
        for how, beyond in (
            ("timeout", time.monotonic() > until),
            ("memory", order["memory"] is not None and held > order["memory"]),
            ("processes", len(below) > order["processes"]),
        ):
            if beyond:
                return {"how": how, "memory": held, "processes": len(below)}
        if output.stat().st_size > MAX_OUTPUT_BYTES:
            # It is opened for appending: what is written next comes at the new end.
            os.truncate(output, 0)


def _status(run: subprocess.Popen[bytes]) -> int | None:
    """The exit status of the run, negative for a signal, if it has ended; orphans that ended are taken leave of."""
    if not hasattr(os, "WNOHANG"):
        return run.poll()
    status = process_tree.reap().get(run.pid)
    return None if status is None else os.waitstatus_to_exitcode(status)


def _wait() -> bool:
    """Wait a moment; True if gblint is gone or wants the run to end."""
    if os.name == "nt":  # there, select() takes only sockets
        time.sleep(POLL_SECONDS)
        return False
    ready, _, _ = select.select([sys.stdin], [], [], POLL_SECONDS)
    return bool(ready)
