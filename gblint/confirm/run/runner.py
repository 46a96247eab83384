"""Runs jobs in worker processes, each under a guardian of its own."""

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

# A process is given gblint by its place, so that the user's environment need not have it, and sees nothing else of
# gblint's own environment.
_BOOT = """
import importlib, importlib.util, sys
home, module = sys.argv[1:3]
del sys.argv[1:3]
spec = importlib.util.spec_from_file_location("gblint", home + "/__init__.py", submodule_search_locations=[home])
sys.modules["gblint"] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
importlib.import_module(module).main()
"""
_SHARE = 0.9  # of the free memory
_GRACE = 30.0  # seconds for a guardian to end what it watches

_live: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()


def run_job(data: Mapping[str, Any]) -> dict[str, Any]:
    """``run`` for an executor on this machine or another: plain data in, plain data out."""
    return run(Job.from_json(data)).as_json()


def run(job: Job) -> Result:
    """Run one job; whatever it does is a result.  Waits for it, and kills it when it is interrupted."""
    folder = Path(tempfile.mkdtemp(prefix="gblint-"))
    try:
        return _run(job, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def cancel() -> None:
    """End every run of this process."""
    with _lock:
        for guardian in _live:
            _let_go(guardian)


def command(module: str, folder: Path, python: str = "", *flags: str) -> list[str]:
    """The command that runs ``main()`` of a module of gblint's on ``folder``."""
    home = str(Path(gblint.__file__).parent)
    return [python or sys.executable, *flags, "-c", _BOOT, home, module, str(folder)]


def _run(job: Job, folder: Path) -> Result:
    scratch = folder / "tmp"
    scratch.mkdir()
    limit = _memory_limit(job)
    order = {
        "command": command("gblint.confirm.worker", folder, job.python, "-X", "faulthandler"),
        "cwd": job.root,
        "env": {name: str(scratch) for name in ("TMPDIR", "TEMP", "TMP")},
        "seconds": job.limits.seconds,
        "memory": limit,
        "processes": job.limits.processes,
    }
    (folder / "job.json").write_text(json.dumps(job.as_json()), encoding="utf-8")
    (folder / "guard.json").write_text(json.dumps(order), encoding="utf-8")
    with (folder / "guardian").open("wb") as said:
        guardian = subprocess.Popen(
            command("gblint.confirm.run.supervisor", folder, "", "-I"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )
        with _lock:
            _live.add(guardian)
        try:
            guardian.wait()
        finally:
            _let_go(guardian)
            with contextlib.suppress(subprocess.TimeoutExpired):
                guardian.wait(_GRACE)
            with _lock:
                _live.discard(guardian)
    return _result(job, folder, limit)


def _let_go(guardian: subprocess.Popen[bytes]) -> None:
    """The guardian ends the run when its standard input does."""
    if guardian.stdin is not None:
        with contextlib.suppress(OSError):
            guardian.stdin.close()


def _memory_limit(job: Job) -> int | None:
    if job.limits.memory is not None:
        return job.limits.memory
    free = process_tree.free_memory()
    return None if free is None else int(free * _SHARE)


def _result(job: Job, folder: Path, limit: int | None) -> Result:
    """What the worker wrote, and how it ended."""
    written = _read(folder / "result.json")
    try:
        result = Result.from_json(written) if written else Result(job.id, "crash")
    except ValueError:
        result = Result(job.id, "crash")
    result = with_children(result, folder)
    end = _read(folder / "end.json") or {"how": "lost", "detail": tail(folder / "guardian")}
    output = tail(folder / "output")
    result = replace(result, seconds=round(end.get("seconds", 0.0), 3), output=output)
    if end["how"] == "exit" and written and written.get("final"):
        return result
    status, reason = _ended(job, end, limit, last_location(folder / "output", job.root))
    code = end.get("status")
    return replace(result, status=status, reason=reason, exit_status=code if end["how"] == "exit" else None)  # type: ignore[arg-type]


def _ended(job: Job, end: Mapping[str, Any], limit: int | None, place: str) -> tuple[str, str]:
    """The status of a run that did not come to its end by itself, and a sentence about it."""
    how, at = end["how"], f", at {place}" if place else ""
    if how == "timeout":
        return "timeout", f"it had not ended after {job.limits.seconds:g} seconds (--timeout){at}"
    if how == "memory":
        return "memory", f"it held more than {_size(limit or 0)} of memory (--memory){at}"
    if how == "processes":
        return "crash", f"it started more than {job.limits.processes:,} processes"
    if how == "cancelled":
        return "cancelled", "it was cancelled"
    if how == "not started":
        return "crash", f"it could not be started: {end['detail']}"
    if how == "lost":
        return "crash", f"the process that watched over it was lost{': ' + end['detail'] if end['detail'] else ''}"
    code = end["status"]
    if code >= 0:
        return "error", f"the process left with exit status {code} before it had ended{at}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    if name == "SIGKILL":
        return "crash", "it was killed from outside (SIGKILL), probably by the system, for want of memory"
    said = {"SIGSEGV": "segmentation fault", "SIGABRT": "abort", "SIGBUS": "bus error", "SIGFPE": "arithmetic error"}
    return "crash", f"it crashed: {said.get(name, 'killed')} ({name}){at}"


def _size(size: int) -> str:
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None
