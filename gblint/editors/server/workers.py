"""The server's side of the worker processes: each runs one job at a time, and can be cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import pickle
import sys
from collections.abc import Callable

from gblint.editors.server.jobs import LENGTH, AnalysisJob, Answer, JobProgress, packed

logger = logging.getLogger(__name__)

# Nothing is imported from the working directory, which may be untrusted.
_START = """
import sys
sys.path[:] = %s
import os
os.nice(%d) if hasattr(os, "nice") else None
from gblint.editors.server.worker import main
main()
"""
BACKGROUND_NICE = 5  # added to the niceness of a background process


class Lost(Exception):
    """The process ended before it answered."""


class WorkerProcess:
    """A worker process, started by the first job."""

    def __init__(self, *, gentle: bool = False) -> None:
        self._gentle = gentle
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def do(
        self, job: AnalysisJob, timeout: float | None = None, tell: Callable[[JobProgress], None] = lambda step: None
    ) -> Answer:
        """Return the answer to a job; raise Lost if the process ends or takes more than ``timeout`` seconds.

        Cancelling this coroutine kills the process.
        """
        async with self._turn:
            process = await self._started()
            assert process.stdin is not None and process.stdout is not None
            try:
                async with _limit(timeout):
                    process.stdin.write(packed(job))
                    await process.stdin.drain()
                    while isinstance(answer := await _item(process.stdout), JobProgress):
                        tell(answer)
            except asyncio.TimeoutError:
                self.kill()
                raise Lost(f"it took more than {timeout:g} seconds") from None
            except (asyncio.IncompleteReadError, ConnectionError) as error:
                self.kill()
                raise Lost(f"the process ended ({await _status(process)})") from error
            except BaseException:
                self.kill()
                raise
            return answer

    @property
    def busy(self) -> bool:
        """Whether a job is running or waiting."""
        return self._turn.locked()

    def kill(self) -> None:
        """Kill the process; the next job starts another."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            path = [os.path.abspath(entry) for entry in sys.path if entry]
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                _START % (json.dumps(path), BACKGROUND_NICE if self._gentle else 0),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        return self._process


async def _item(stream: asyncio.StreamReader) -> Answer | JobProgress:
    (length,) = LENGTH.unpack(await stream.readexactly(LENGTH.size))
    item = pickle.loads(await stream.readexactly(length))
    assert isinstance(item, (Answer, JobProgress))
    return item


class _limit:  # noqa: N801 - asyncio.timeout is new in Python 3.11
    """Context manager that raises TimeoutError after a time."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._handle: asyncio.TimerHandle | None = None
        self._over = False

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        if self._seconds is not None and task is not None:
            self._handle = asyncio.get_running_loop().call_later(self._seconds, self._end, task)

    def _end(self, task: asyncio.Task[object]) -> None:
        self._over = True
        task.cancel()

    async def __aexit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if self._handle is not None:
            self._handle.cancel()
        if self._over and kind is asyncio.CancelledError:
            raise asyncio.TimeoutError


async def _status(process: asyncio.subprocess.Process) -> str:
    try:
        code = await asyncio.wait_for(process.wait(), 5)
    except asyncio.TimeoutError:
        return "still running"
    return f"signal {-code}" if code < 0 else f"status {code}"
