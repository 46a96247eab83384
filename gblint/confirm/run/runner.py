"""Runner: starts each job in a worker process under a supervisor, and reads the result."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gblint.confirm.earlier_import import COLD_START
from gblint.confirm.jobs import Job, Result
from gblint.confirm.output_tail import last_location, tail
from gblint.confirm.run import process_tree, supervisors
from gblint.confirm.run.child_processes import with_children
from gblint.runtime.json_files import read_json

_MEMORY_SHARE = 0.9  # of the free memory
_ENDS = ("exit", "timeout", "memory", "processes", "cancelled", "not started")


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


def _run(job: Job, folder: Path) -> Result:
    """Run a job under a supervisor, and read the result.

    The job of a verification is run by a fork, if forkers are kept; where that is not possible it is run once more by a
    process of its own.
    """
    if job.trial is not None and supervisors.are_forkers_kept():
        forked = folder / "forked"
        forked.mkdir()
        limit = _write(job, forked, forks=True)
        supervisors.supervise_forked(forked, job.python, job.root)
        end = _end(forked)
        if end["how"] not in ("lost", "not started") and end.get("status") != COLD_START:
            return _result(job, forked, limit)
    limit = _write(job, folder, forks=False)
    supervisors.supervise(folder)
    return _result(job, folder, limit)


def _write(job: Job, folder: Path, *, forks: bool) -> int | None:
    """Write the job and what its supervisor needs; return the memory limit in bytes."""
    scratch = folder / "tmp"
    scratch.mkdir()
    limit = _memory_limit(job)
    module = "gblint.confirm.run.forker" if forks else "gblint.confirm.worker"
    instructions = {
        "command": supervisors.command(module, folder, job.python, "-X", "faulthandler"),
        "cwd": job.root,
        "env": {name: str(scratch) for name in ("TMPDIR", "TEMP", "TMP")},
        "forker": forks,
        "seconds": job.limits.seconds,
        "memory": limit,
        "processes": job.limits.processes,
    }
    (folder / "job.json").write_text(json.dumps(job.as_json()), encoding="utf-8")
    (folder / "supervisor.json").write_text(json.dumps(instructions), encoding="utf-8")
    return limit


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
