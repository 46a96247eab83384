"""The processes below one: who they are, what memory they hold, and how all of them are ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

LINUX = sys.platform.startswith("linux")
KILL_SECONDS = 5.0  # seconds for what was killed to be gone
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of every process below this one whose parent ends (Linux), so that none is lost."""
    if LINUX:
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> list[int]:
    """The processes below ``root``, parents first."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def used_memory(pids: list[int]) -> int:
    """The bytes that the processes hold together; pages that they share count once."""
    if not LINUX:
        return _listed_memory(set(pids))
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


def free_memory() -> int | None:
    """The bytes that can still be had, also within the container; None if nobody knows."""
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


def kill_descendants(root: int) -> None:
    """Kill every process below ``root`` and wait until none is left."""
    if not hasattr(signal, "SIGKILL"):
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(root)], capture_output=True, check=False)
        return
    until = time.monotonic() + KILL_SECONDS
    stopped: set[int] = set()
    while time.monotonic() < until:
        pids = descendants(root)
        new = [pid for pid in pids if pid not in stopped]
        if not new:
            # What is stopped cannot start others any more: now they can go, all of them.
            for pid in pids:
                _signal(pid, signal.SIGKILL)
            reap()
            if not descendants(root):
                return
            time.sleep(0.01)
        for pid in new:
            _signal(pid, signal.SIGSTOP)
        stopped.update(new)


def reap() -> dict[int, int]:
    """Take leave of the children that have ended: their wait statuses by process id."""
    ended: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            ended[pid] = status
    return ended


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _parents() -> list[tuple[int, int]]:
    """Pairs of every process and its parent."""
    if not LINUX:
        return [(pid, parent) for pid, parent, _ in _listed()]
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                text = Path(f"/proc/{name}/stat").read_text(errors="replace")
            except OSError:
                continue
            # The second field is the command between parentheses, and may have anything in it.
            found.append((int(name), int(text.rpartition(")")[2].split()[1])))
    return found


def _listed() -> list[tuple[int, int, int]]:
    """Every process, its parent and its memory in bytes, as ``ps`` tells."""
    told = subprocess.run(["ps", "-axo", "pid=,ppid=,rss="], capture_output=True, text=True, check=False).stdout
    rows = [line.split() for line in told.splitlines()]
    return [(int(row[0]), int(row[1]), int(row[2]) * 1024) for row in rows if len(row) == 3]


def _listed_memory(pids: set[int]) -> int:
    return sum(held for pid, _, held in _listed() if pid in pids)
