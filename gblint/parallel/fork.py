"""Forked processes and the pipes to them.

This replaces the part of ``multiprocessing`` that a scan needs where processes can be forked; importing all of
``multiprocessing`` takes a tenth of the start of a run.
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
    """One end of a two-way pipe that carries pickled objects."""

    __slots__ = ("_reads", "_writes")

    def __init__(self, reads: int, writes: int) -> None:
        self._reads = reads
        self._writes = writes

    def fileno(self) -> int:
        """Return the file descriptor to read from."""
        return self._reads

    def send(self, message: object) -> None:
        """Send an object; raises OSError if the other end is closed."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        left = memoryview(_SIZE.pack(len(data)) + data)
        while left:
            left = left[os.write(self._writes, left) :]

    def recv(self) -> Any:
        """Wait for an object; raises EOFError if the other end is closed."""
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

    def close(self) -> None:
        """Close both directions."""
        os.close(self._reads)
        os.close(self._writes)


class ForkedProcess:
    """A forked child process.

    ``exitcode`` is None until the process has been joined.  As with ``multiprocessing``, it is the negative number of
    the signal if a signal ended the process.
    """

    __slots__ = ("exitcode", "pid")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.exitcode: int | None = None

    def join(self) -> None:
        """Wait until the process ends."""
        if self.exitcode is None:
            try:
                self.exitcode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            except ChildProcessError:
                self.exitcode = 255  # somewhere else in this process waited for it

    def has_ended(self) -> bool:
        """Return whether the process has ended, without waiting."""
        if self.exitcode is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                self.exitcode = 255  # somewhere else in this process waited for it
            else:
                self.exitcode = os.waitstatus_to_exitcode(status) if pid else None
        return self.exitcode is not None

    def terminate(self) -> None:
        """Send SIGTERM."""
        if self.exitcode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)


_to_join: list[ForkedProcess] = []


def join_at_exit(process: ForkedProcess) -> None:
    """Join a process that has sent its last message when this one exits: freeing its memory takes a while."""
    if not _to_join:
        atexit.register(join_all)
    _to_join.append(process)


def join_all() -> None:
    """Join the processes registered with ``join_at_exit``."""
    while _to_join:
        _to_join.pop().join()
    atexit.unregister(join_all)


def pipe_pair() -> tuple[Channel, Channel]:
    """Return both ends of a new two-way pipe."""
    to_us, from_them = os.pipe()
    to_them, from_us = os.pipe()
    return Channel(to_us, from_us), Channel(to_them, from_them)


def ready(channels: Sequence[Channel], seconds: float | None = None) -> list[Channel]:
    """Wait until at least one channel is readable or closed, or for the given time; returns those channels."""
    # select.select() does not support file descriptors above 1023.
    poll = select.poll()
    by_number = {channel.fileno(): channel for channel in channels}
    for number in by_number:
        poll.register(number, select.POLLIN)
    return [by_number[number] for number, _ in poll.poll(None if seconds is None else seconds * 1000)]


def start(work: Callable[[], None]) -> ForkedProcess:
    """Fork a process that runs ``work`` and exits."""
    join_all()
    pid = os.fork()
    if pid:
        return ForkedProcess(pid)
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)  # does not flush the buffers that were copied from the parent
