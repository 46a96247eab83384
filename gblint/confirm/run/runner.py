"""Runner: starts each job in a worker process under a supervisor, and reads the result."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import gblint
from gblint.confirm.jobs import Job, Result
from gblint.confirm.output_tail import last_location, tail
from gblint.confirm.run import process_tree
from gblint.confirm.run.child_processes import with_children
from gblint.runtime.json_files import read_json

# gblint is imported from its folder: it need not be installed in the user's environment, and nothing else of its own
# environment is visible.
_BOOTSTRAP = """
import importlib, importlib.util, sys
home, module = sys.argv[1:3]
del sys.argv[1:3]
spec = importlib.util.spec_from_file_location("gblint", home + "/__init__.py", submodule_search_locations=[home])
sys.modules["gblint"] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
importlib.import_module(module).main()
"""
_MEMORY_SHARE = 0.9  # of the free memory
_ENDS = ("exit", "timeout", "memory", "processes", "cancelled", "not started")
# Seconds between two looks at a supervisor, which become longer.
_FIRST_WATCH_SECONDS, _WATCH_SECONDS = 0.02, 0.5
_END_SECONDS = 30.0  # seconds for a supervisor to end its run

_supervisors: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()


def run_job(data: Mapping[str, Any]) -> dict[str, Any]:
    """Run a job given as plain data, and return its result as plain data; for an executor."""
    return run(Job.from_json(data)).as_json()


def run(job: Job) -> Result:
    """Run one job and return its result; errors and crashes are results too.

    The run is ended if this call is interrupted.
    """
    folder = Path(tempfile.mkdtemp(prefix="gblint-"))
    try:
        return _run(job, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def cancel() -> None:
    """End every run of this process."""
    with _lock:
        for supervisor in _supervisors:
            _request_end(supervisor)


def command(module: str, folder: Path, python: str = "", *flags: str) -> list[str]:
    """Return the command that runs ``main()`` of a gblint module on ``folder``."""
    home = str(Path(gblint.__file__).parent)
    return [python or sys.executable, *flags, "-c", _BOOTSTRAP, home, module, str(folder)]


def _run(job: Job, folder: Path) -> Result:
    """Write the job, run the supervisor, and read the result."""
    scratch = folder / "tmp"
    scratch.mkdir()
    limit = _memory_limit(job)
    instructions = {
        "command": command("gblint.confirm.worker", folder, job.python, "-X", "faulthandler"),
        "cwd": job.root,
        "env": {name: str(scratch) for name in ("TMPDIR", "TEMP", "TMP")},
        "seconds": job.limits.seconds,
        "memory": limit,
        "processes": job.limits.processes,
    }
    (folder / "job.json").write_text(json.dumps(job.as_json()), encoding="utf-8")
    (folder / "supervisor.json").write_text(json.dumps(instructions), encoding="utf-8")
    with (folder / "supervisor.log").open("wb") as log:
        supervisor = subprocess.Popen(
            command("gblint.confirm.run.supervisor", folder, "", "-I"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )
        with _lock:
            _supervisors.add(supervisor)
        try:
            _wait(supervisor)
        finally:
            _request_end(supervisor)
            with contextlib.suppress(subprocess.TimeoutExpired):
                supervisor.wait(_END_SECONDS)
            with _lock:
                _supervisors.discard(supervisor)
    return _result(job, folder, limit)


def _wait(supervisor: subprocess.Popen[bytes]) -> None:
    """Wait until a supervisor ends; if the code that it runs has stopped or killed it, end the run."""
    seen: dict[int, str] = {}
    pause = _FIRST_WATCH_SECONDS
    while supervisor.returncode is None:
        try:
            supervisor.wait(pause)
        except subprocess.TimeoutExpired:
            pause = min(2 * pause, _WATCH_SECONDS)
            seen.update(process_tree.started(process_tree.descendants(supervisor.pid)))
            if process_tree.is_stopped(supervisor.pid):
                supervisor.kill()
    if supervisor.returncode:
        process_tree.kill(seen)


def _request_end(supervisor: subprocess.Popen[bytes]) -> None:
    """Make a supervisor end its run: close its standard input."""
    if supervisor.stdin is not None:
        with contextlib.suppress(OSError):
            supervisor.stdin.close()


def _memory_limit(job: Job) -> int | None:
    """Return the memory limit of a job in bytes; None if the free memory is unknown."""
    if job.limits.memory is not None:
        return job.limits.memory
    free = process_tree.free_memory()
    return None if free is None else int(free * _MEMORY_SHARE)


def _result(job: Job, folder: Path, limit: int | None) -> Result:
    """Return the worker's result with its output, and how the run ended if it did not finish."""
    written = _read(folder / "result.json")
    try:
        result = Result.from_json(written) if written else Result(job.id, "crash")
    except ValueError:
        result = Result(job.id, "crash")
    result = with_children(result, folder)
    end = _end(folder)
    output = tail(folder / "output")
    result = replace(result, seconds=round(end.get("seconds", 0.0), 3), output=output)
    if end["how"] == "exit" and written and written.get("final"):
        return result
    status, reason = _failure(job, end, limit, last_location(folder / "output", job.root))
    code = end.get("status")
    return replace(result, status=status, reason=reason, exit_status=code if end["how"] == "exit" else None)  # type: ignore[arg-type]


def _end(folder: Path) -> dict[str, Any]:
    """Return how the run ended, as its supervisor wrote it; the code that ran may have written something else."""
    end = _read(folder / "end.json") or {}
    how, seconds = end.get("how"), end.get("seconds", 0.0)
    numbers = isinstance(seconds, (int, float)) and 0 <= seconds < 1e9
    if how not in _ENDS or not numbers or (how == "exit" and not isinstance(end.get("status"), int)):
        return {"how": "lost", "detail": tail(folder / "supervisor.log")}
    return {**end, "detail": str(end.get("detail", ""))}


def _failure(job: Job, end: Mapping[str, Any], limit: int | None, place: str) -> tuple[str, str]:
    """Return the status of a run that did not finish, and a sentence with the reason."""
    end_kind, location_text = end["how"], f", at {place}" if place else ""
    if end_kind == "timeout":
        return "timeout", f"it was still running after {job.limits.seconds:g} seconds (--timeout){location_text}"
    if end_kind == "memory":
        return "memory", f"it used more than {_size(limit or 0)} of memory (--memory){location_text}"
    if end_kind == "processes":
        return "crash", f"it started more than {job.limits.processes:,} processes"
    if end_kind == "cancelled":
        return "cancelled", "it was cancelled"
    if end_kind == "not started":
        return "crash", f"it could not be started: {end['detail']}"
    if end_kind == "lost":
        return "crash", f"its supervisor process ended unexpectedly{': ' + end['detail'] if end['detail'] else ''}"
    code = end["status"]
    if code >= 0:
        return "error", f"the process exited with status {code} before the run had finished{location_text}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    if name == "SIGKILL":
        return "crash", "it was killed (SIGKILL), probably by the system because memory ran out"
    descriptions = {
        "SIGSEGV": "segmentation fault",
        "SIGABRT": "abort",
        "SIGBUS": "bus error",
        "SIGFPE": "arithmetic error",
    }
    return "crash", f"it crashed: {descriptions.get(name, 'killed')} ({name}){location_text}"


def _size(size: int) -> str:
    """Format a number of bytes."""
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def _read(path: Path) -> dict[str, Any] | None:
    """Read a JSON object from a file; None if there is none."""
    try:
        data = read_json(path)
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None
