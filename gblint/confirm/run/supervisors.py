"""Supervisors: started for a job, or kept with a forker for the jobs of a verification."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import gblint
from gblint.confirm.run import process_tree

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
# Seconds between two looks at a supervisor, which become longer.
_FIRST_WATCH_SECONDS, _WATCH_SECONDS = 0.02, 0.5
_END_SECONDS = 30.0  # seconds for a supervisor to end its run
# A process that forks after a library has talked to one of these cannot use it.
_ACCELERATORS = ("/dev/nvidiactl", "/dev/kfd", "/dev/accel", "/dev/dxg", "/dev/davinci_manager", "/dev/xpu")

_Supervisor = subprocess.Popen[bytes]
# An interpreter, a working directory and an environment: a fork has those of its forker.
_Surroundings = tuple[str, str, tuple[tuple[str, str], ...]]

_supervisors: set[_Supervisor] = set()
_idle: dict[_Surroundings, list[_Supervisor]] | None = None  # None outside of ``forkers``
_lock = threading.Lock()


def command(module: str, folder: Path, python: str = "", *flags: str) -> list[str]:
    """Return the command that runs ``main()`` of a gblint module on ``folder``."""
    home = str(Path(gblint.__file__).parent)
    return [python or sys.executable, *flags, "-c", _BOOTSTRAP, home, module, str(folder)]


def cancel() -> None:
    """End every run of this process."""
    with _lock:
        for supervisor in _supervisors:
            _request_end(supervisor)


@contextlib.contextmanager
def forkers() -> Iterator[None]:
    """Keep forkers for the jobs that run inside, if forks can be used here; they are ended afterwards."""
    global _idle
    if _idle is not None or not process_tree.LINUX or any(map(os.path.exists, _ACCELERATORS)):
        yield
        return
    _idle = {}
    try:
        yield
    finally:
        kept, _idle = _idle, None
        for supervisor in (each for group in kept.values() for each in group):
            _end(supervisor)


def are_forkers_kept() -> bool:
    """Return whether jobs can be run by a forker."""
    return _idle is not None


def supervise(folder: Path) -> None:
    """Run the job in ``folder`` to its end, with a supervisor for it alone."""
    supervisor = _start(folder)
    try:
        _wait(supervisor)
    finally:
        _end(supervisor)


def supervise_forked(folder: Path, python: str, root: str) -> None:
    """Run the job in ``folder`` to its end, with a supervisor that has a forker; ``forkers`` keeps it afterwards."""
    surroundings = (python, root, tuple(sorted(os.environ.items())))
    with _lock:
        kept = (_idle or {}).get(surroundings)
        supervisor = kept.pop() if kept else None
    ended = False
    if supervisor is None:
        supervisor = _start(folder, forks=True)
    else:
        assert supervisor.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # it has ended
            supervisor.stdin.write(f"{folder}\n".encode())
            supervisor.stdin.flush()
    try:
        ended = _wait(supervisor)
    finally:
        with _lock:
            keep = ended and _idle is not None
            if keep and _idle is not None:
                _idle.setdefault(surroundings, []).append(supervisor)
        if not keep:
            _end(supervisor)


def _start(folder: Path, *, forks: bool = False) -> _Supervisor:
    with (folder / "supervisor.log").open("wb") as log:
        supervisor = subprocess.Popen(
            command("gblint.confirm.run.supervisor", folder, "", "-I"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if forks else subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )
    with _lock:
        _supervisors.add(supervisor)
    return supervisor


def _wait(supervisor: _Supervisor) -> bool:
    """Wait until a supervisor ends, or says that the run has ended: then return true.

    If the code that it runs has stopped or killed it, end the run.
    """
    seen: dict[int, str] = {}
    pause = _FIRST_WATCH_SECONDS
    while supervisor.returncode is None:
        if _has_ended(supervisor, pause):
            if supervisor.stdout is not None and supervisor.stdout.readline():
                return True
            continue
        pause = min(2 * pause, _WATCH_SECONDS)
        seen.update(process_tree.started(process_tree.descendants(supervisor.pid)))
        if process_tree.is_stopped(supervisor.pid):
            supervisor.kill()
    if supervisor.returncode:
        process_tree.kill(seen)
    return False


def _has_ended(supervisor: _Supervisor, seconds: float) -> bool:
    """Wait for the end of a run at most so long, and return whether the run or its supervisor has ended."""
    if supervisor.stdout is not None and supervisor.poll() is None:
        return bool(select.select([supervisor.stdout], [], [], seconds)[0])
    try:
        supervisor.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(supervisor: _Supervisor) -> None:
    """End a supervisor with its run."""
    _request_end(supervisor)
    with contextlib.suppress(subprocess.TimeoutExpired):
        supervisor.wait(_END_SECONDS)
    if supervisor.stdout is not None:
        supervisor.stdout.close()
    with _lock:
        _supervisors.discard(supervisor)


def _request_end(supervisor: _Supervisor) -> None:
    """Make a supervisor end its run: close its standard input."""
    if supervisor.stdin is not None:
        with contextlib.suppress(OSError):
            supervisor.stdin.close()
