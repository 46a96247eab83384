"""Copies of this process, and what they and it tell each other.

This is the little of ``multiprocessing`` that a scan needs where a process can be copied; to load all of that takes a
tenth of the start of a run.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import select
import signal
import struct
from collections.abc import Callable, Sequence
from typing import Any

_SIZE = struct.Struct("!Q")
_CHUNK = 1 << 20


class Channel:
    """One end of a line between two processes, over which whole objects go."""

    __slots__ = ("_reads", "_writes")

    def __init__(self, reads: int, writes: int) -> None:
        self._reads = reads
        self._writes = writes

    def fileno(self) -> int:
        """The file descriptor that something can be read from."""
        return self._reads

    def send(self, message: object) -> None:
        """Send an object; raises OSError if nobody listens."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        left = memoryview(_SIZE.pack(len(data)) + data)
        while left:
            left = left[os.write(self._writes, left) :]

    def recv(self) -> Any:
        """Wait for an object; raises EOFError if none comes any more."""
        (size,) = _SIZE.unpack(self._read(_SIZE.size))
        return pickle.loads(self._read(size))

    def _read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            part = os.read(self._reads, min(size, _CHUNK))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def poll(self) -> bool:
        """Whether something has come, be it only the end."""
        return bool(ready([self], 0))

    def close(self) -> None:
        """Listen and speak no longer."""
        os.close(self._reads)
        os.close(self._writes)


class ForkedProcess:
    """A process that was begun as a copy of this one; ``exitcode`` is None until it was waited for.

    As with ``multiprocessing``, that is the negative number of the signal that ended it, if one did.
    """

    __slots__ = ("exitcode", "pid")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.exitcode: int | None = None

    def join(self) -> None:
        """Wait for its end."""
        if self.exitcode is None:
            try:
                self.exitcode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            except ChildProcessError:
                self.exitcode = 255  # somebody else has waited for it

    def terminate(self) -> None:
        """Have it end."""
        if self.exitcode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)


_done: list[ForkedProcess] = []


def let_go(copy: ForkedProcess) -> None:
    """Wait for the end of one that has said all it has to say, but not now: giving back its memory takes a while."""
    if not _done:
        atexit.register(join_all)
    _done.append(copy)


def join_all() -> None:
    """Wait for the end of those that were let go."""
    while _done:
        _done.pop().join()
    atexit.unregister(join_all)


def line() -> tuple[Channel, Channel]:
    """Both ends of a line."""
    to_us, from_them = os.pipe()
    to_them, from_us = os.pipe()
    return Channel(to_us, from_us), Channel(to_them, from_them)


def ready(channels: Sequence[Channel], seconds: float | None = None) -> list[Channel]:
    """Those that something has come over, or the end of; waits for the first, or so many seconds."""
    # Not select(): that knows no descriptor above 1023.
    waiting = select.poll()
    by_number = {channel.fileno(): channel for channel in channels}
    for number in by_number:
        waiting.register(number, select.POLLIN)
    return [by_number[number] for number, _ in waiting.poll(None if seconds is None else seconds * 1000)]


def begin(work: Callable[[], None]) -> ForkedProcess:
    """Begin a copy of this process that does ``work`` and ends."""
    join_all()
    pid = os.fork()
    if pid:
        return ForkedProcess(pid)
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)  # without writing what this process has not written yet
