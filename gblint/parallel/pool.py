"""A pool of worker processes.

Each process starts with a run of neighbouring units of its own.  When that is done it takes units from the end of the
longest run that is left, and units without weight last, so that all processes end at nearly the same time.  Results are
returned by the number of the unit, so that they do not depend on the process.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.runtime.stack_chunk import preallocate_stack_chunk

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from gblint.parallel.fork import Channel, ForkedProcess

U = TypeVar("U", contravariant=True)
R = TypeVar("R", covariant=True)
# A unit is given up after so many processes have been killed while they worked on it.
ATTEMPTS = 2
# No killed process is replaced any more after so many.
MAX_KILLED = 12
# The last units of a run are sorted by weight, so that all processes end at nearly the same time.
SORTED_LAST = 8


class _Connection(Protocol):
    """An end of a pipe: a ``Channel`` or a ``multiprocessing.connection.Connection``."""

    def send(self, message: Any, /) -> None:
        """Send an object; raises OSError."""

    def recv(self) -> Any:
        """Wait for an object; raises EOFError, OSError."""

    def close(self) -> None:
        """Close this end."""


class PoolWorker(Protocol[U, R]):
    """The worker of a process."""

    def do(self, unit: U, step: Callable[[str], None]) -> R:
        """Do one unit; ``step`` is called with the name of each step."""

    def close(self) -> R:
        """Return the final result of the process."""


@dataclass(slots=True)
class PoolResult:
    """The result of all processes.

    ``results``: the results by the number of the unit.
    ``final_results``: the final results of the processes.
    ``lost``: the units that failed, with the reason.
    ``killed``: how each process ended that did not end by itself.
    """

    results: dict[int, Any] = field(default_factory=dict)
    final_results: list[Any] = field(default_factory=list)
    lost: dict[int, str] = field(default_factory=dict)
    killed: list[str] = field(default_factory=list)


def may_fork() -> bool:
    """Return whether processes can be forked: not with other threads, whose locks would stay locked in the child."""
    return sys.platform.startswith("linux") and threading.active_count() == 1


def run(
    units: list[U],
    weights: Sequence[int],
    jobs: int,
    local_worker: PoolWorker[U, R],
    worker_factory: Callable[[], PoolWorker[U, R]],
    on_done: Callable[[int], None],
) -> PoolResult:
    """Do ``units`` in ``jobs`` processes.

    ``weights``: estimates of the work in each unit.
    ``local_worker``: the worker that each process inherits where processes can be forked.
    ``worker_factory``: creates the worker of a process where processes cannot be forked; it is pickled.
    ``on_done``: called with the number of each unit that is done or lost.
    """
    return _Pool(units, weights, jobs, local_worker, worker_factory, on_done).run()


class _Pool:
    def __init__(
        self,
        units: list[U],
        weights: Sequence[int],
        jobs: int,
        local_worker: PoolWorker[U, R],
        worker_factory: Callable[[], PoolWorker[U, R]],
        on_done: Callable[[int], None],
    ) -> None:
        self._units: list[Any] = units
        self._may_fork = may_fork()
        self._new_worker: Callable[[], Any] = (lambda: local_worker) if self._may_fork else worker_factory
        self._on_done = on_done
        self._result = PoolResult()
        self._attempts = dict.fromkeys(range(len(units)), 0)
        self._queues = _runs(weights, jobs)
        self._weightless = deque(number for number, weight in enumerate(weights) if not weight)
        # The running processes with the number of their queue, and the units that they work on.
        self._running: dict[_Connection, tuple[ForkedProcess | BaseProcess, int]] = {}
        self._current: dict[_Connection, int] = {}

    def run(self) -> PoolResult:
        try:
            for queue in range(len(self._queues) - 1, -1, -1):
                self._start(queue)
            while self._running:
                for connection in self._wait():
                    self._on_message(connection)
        finally:
            for connection, (process, _) in self._running.items():
                process.terminate()
                connection.close()
        return self._result

    # -- processes -------------------------------------------------------------------------------------------------

    def _start(self, queue: int) -> None:
        ours, process = self._fork() if self._may_fork else self._spawn()
        self._running[ours] = (process, queue)
        self._assign(ours)

    def _fork(self) -> tuple[Channel, ForkedProcess]:
        from gblint.parallel import fork

        ours, theirs = fork.pipe_pair()
        others = [*self._running, ours]
        process = fork.start(partial(_serve, theirs, self._new_worker, self._units, gc.isenabled(), others))
        theirs.close()
        return ours, process

    def _spawn(self) -> tuple[Connection, BaseProcess]:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        arguments = (theirs, self._new_worker, self._units, gc.isenabled(), ())
        process = context.Process(target=_serve, args=arguments, daemon=True)
        process.start()
        theirs.close()
        return ours, process

    def _wait(self) -> Sequence[_Connection]:
        """Wait for messages; returns the connections that have one or are closed."""
        if self._may_fork:
            from gblint.parallel import fork

            return fork.ready([*self._running])  # type: ignore[list-item]
        from multiprocessing.connection import wait

        return wait([*self._running])  # type: ignore[return-value, list-item]

    def _join(self, process: ForkedProcess | BaseProcess) -> None:
        """Join a process that has sent its last message."""
        if self._may_fork:
            from gblint.parallel import fork

            fork.join_at_exit(process)  # type: ignore[arg-type]
        else:
            process.join()

    # -- units -----------------------------------------------------------------------------------------------------

    def _assign(self, connection: _Connection) -> None:
        """Send a process the number of its next unit, None for the end."""
        number = self._next(self._running[connection][1])
        with contextlib.suppress(OSError):  # if the process has ended, the next read notices it
            connection.send(number)
        if number is not None:
            self._attempts[number] += 1
            self._current[connection] = number

    def _next(self, queue: int) -> int | None:
        if self._queues[queue]:
            return self._queues[queue].popleft()
        longest = max(self._queues, key=len)
        if longest:
            return longest.pop()
        return self._weightless.popleft() if self._weightless else None

    def _on_message(self, connection: _Connection) -> None:
        try:
            number, result = connection.recv()
        except (EOFError, OSError):
            self._replace_dead_worker(connection)
            return
        if number is None:
            self._result.final_results.append(result)
            process, _ = self._running.pop(connection)
            connection.close()
            self._join(process)
            return
        self._current.pop(connection, None)
        if isinstance(result, _Failure):
            self._result.lost[number] = result.reason
        else:
            self._result.results[number] = result
        self._on_done(number)
        self._assign(connection)

    def _replace_dead_worker(self, connection: _Connection) -> None:
        """Start another process in place of one that has died; its unit is tried once more."""
        process, queue = self._running.pop(connection)
        connection.close()
        process.join()
        reason = _cause(process.exitcode)
        self._result.killed.append(reason)
        number = self._current.pop(connection, None)
        if number is None:
            return
        if self._attempts[number] < ATTEMPTS and len(self._result.killed) < MAX_KILLED:
            self._queues[queue].appendleft(number)
        else:
            self._lose(number, reason)
        if len(self._result.killed) < MAX_KILLED:
            self._start(queue)
        elif not self._running:
            for left in (*self._queues, self._weightless):
                while left:
                    self._lose(left.popleft(), reason)

    def _lose(self, number: int, reason: str) -> None:
        self._result.lost[number] = f"a process {reason}"
        self._on_done(number)


@dataclass(frozen=True, slots=True)
class _Failure:
    reason: str


def _runs(weights: Sequence[int], jobs: int) -> list[deque[int]]:
    """Divide the numbers of units with weight into ``jobs`` runs of nearly equal weight.

    The last units of each run are sorted, the lightest at the end, where other processes take units from.
    """
    runs: list[deque[int]] = [deque() for _ in range(jobs)]
    total, before = sum(weights), 0
    for number, weight in enumerate(weights):
        if weight:
            runs[before * jobs // total].append(number)
            before += weight
    for each in runs:
        last = [each.pop() for _ in range(min(SORTED_LAST, len(each)))]
        each.extend(sorted(last, key=lambda number: (-weights[number], number)))
    return runs


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"
    return f"ended with status {code}"


@preallocate_stack_chunk
def _serve(
    connection: _Connection,
    new_worker: Callable[[], PoolWorker[Any, Any]],
    units: list[Any],
    collects_garbage: bool,
    inherited: Sequence[_Connection],
) -> None:
    """Run the loop of a worker process: do the units whose numbers arrive, until None arrives.

    ``inherited`` are copies of the parent's ends of pipes.  They are closed, since with them open the process would not
    notice that the parent has ended.
    """
    for number in (signal.SIGINT, signal.SIGTERM):  # the command turns both into exceptions
        signal.signal(number, signal.SIG_DFL)
    for other in inherited:
        other.close()
    if not collects_garbage:
        gc.disable()
    worker = new_worker()
    try:
        while True:
            number = connection.recv()
            if number is None:
                connection.send((None, worker.close()))
                return
            connection.send((number, _do(worker, units[number])))
    except (EOFError, OSError):
        return  # the parent has ended


def _do(worker: PoolWorker[Any, Any], unit: Any) -> Any:
    try:
        return worker.do(unit, _ignore_step)
    except Exception as error:
        return _Failure(" ".join(f"{type(error).__name__}: {error}".split())[:200])


def _ignore_step(_: str) -> None:
    """Worker processes report whole units only."""
