"""Descendants of a process: their ids and memory, and ending them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

LINUX = sys.platform.startswith("linux")
KILL_SECONDS = 5.0  # seconds to wait until killed processes are gone
_PR_SET_CHILD_SUBREAPER = 36
_START_TIME = 19  # in the fields that ``_stat`` returns


def adopt_orphans() -> None:
    """On Linux, become the parent of every descendant whose parent ends, so that it stays a descendant."""
    if LINUX:
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> list[int]:
    """Return the ids of the processes below ``root``, parents first."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    pending = [root]
    while pending:
        below = children.get(pending.pop(), [])
        found += below
        pending += below
    return found


def used_memory(pids: list[int]) -> int:
    """Return the bytes that the processes use together; shared pages count once."""
    if not LINUX:
        return _memory_from_list(set(pids))
    own = shared = 0
    page = os.sysconf("SC_PAGE_SIZE")
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/statm").read_text().split()
        except OSError:
            continue
        own += int(fields[1]) - int(fields[2])
        shared = max(shared, int(fields[2]))
    return (own + shared) * page


def processor_seconds(pids: list[int]) -> float:
    """Return the processor time that the processes have used, with that of their ended children."""
    ticks = sum(sum(map(int, fields[11:15])) for fields in map(_stat, pids) if fields)
    return ticks / os.sysconf("SC_CLK_TCK") if LINUX else 0.0


def is_busy(pids: list[int]) -> bool:
    """Return whether one of the processes runs or waits for a processor or a disk."""
    return any(fields[0] in ("R", "D") for fields in map(_stat, pids) if fields)


def is_stopped(pid: int) -> bool:
    """Return whether a process is stopped by a signal; false if that is unknown."""
    return _stat(pid)[:1] == ["T"]


def started(pids: list[int]) -> dict[int, str]:
    """Return when each of the processes was started: the id of an ended process is used again."""
    return {pid: fields[_START_TIME] for pid in pids if (fields := _stat(pid))} if LINUX else {}


def kill(known: Mapping[int, str]) -> None:
    """Kill the processes that ``started`` has returned, and every process below them."""
    for pid in [pid for pid, since in started([*known]).items() if since == known[pid]]:
        for each in (pid, *descendants(pid)):
            _signal(each, signal.SIGKILL)


def _stat(pid: int) -> list[str]:
    """Return the fields of ``/proc/PID/stat`` from the state on; empty if there are none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def free_memory() -> int | None:
    """Return the bytes of memory that are available, also within the container's limit; None if unknown."""
    if not LINUX:
        return None
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        free = int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
    with contextlib.suppress(OSError, ValueError):
        limit = int(Path("/sys/fs/cgroup/memory.max").read_text())
        free = min(free, limit - int(Path("/sys/fs/cgroup/memory.current").read_text()))
    return max(free, 0)


def kill_descendants(root: int, spared: int = 0) -> None:
    """Kill every process below ``root`` except ``spared``, and wait until they are gone."""
    if not hasattr(signal, "SIGKILL"):
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(root)], capture_output=True, check=False)
        return
    until = time.monotonic() + KILL_SECONDS
    stopped: set[int] = set()
    while time.monotonic() < until:
        pids = [pid for pid in descendants(root) if pid != spared]
        new = [pid for pid in pids if pid not in stopped]
        if not new:
            # Stopped processes cannot start new ones, so all of them can be killed now.
            for pid in pids:
                _signal(pid, signal.SIGKILL)
            reap()
            if set(descendants(root)) <= {spared}:
                return
            time.sleep(0.01)
        for pid in new:
            _signal(pid, signal.SIGSTOP)
        stopped.update(new)


def reap() -> dict[int, int]:
    """Collect the children that have ended: their wait statuses by process id."""
    ended: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            ended[pid] = status
    return ended


@contextlib.contextmanager
def paused(pids: list[int]) -> Iterator[None]:
    """Let processes stand still; only on Linux."""
    held = pids if LINUX else []
    for pid in held:
        _signal(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in held:
            _signal(pid, signal.SIGCONT)


def _signal(pid: int, number: int) -> None:
    """Send a signal to a process, if it exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _parents() -> list[tuple[int, int]]:
    """Return (process, parent) pairs of all processes."""
    if not LINUX:
        return [(pid, parent) for pid, parent, _ in _process_list()]
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                text = Path(f"/proc/{name}/stat").read_text(errors="replace")
            except OSError:
                continue
            # The second field is the command in parentheses, which may contain any character.
            found.append((int(name), int(text.rpartition(")")[2].split()[1])))
    return found


def _process_list() -> list[tuple[int, int, int]]:
    """Return (process, parent, memory in bytes) of every process, from ``ps``."""
    listing = subprocess.run(["ps", "-axo", "pid=,ppid=,rss="], capture_output=True, text=True, check=False).stdout
    rows = [line.split() for line in listing.splitlines()]
    return [(int(row[0]), int(row[1]), int(row[2]) * 1024) for row in rows if len(row) == 3]


def _memory_from_list(pids: set[int]) -> int:
    """Return the memory of the processes, from ``ps``."""
    return sum(memory for pid, _, memory in _process_list() if pid in pids)
