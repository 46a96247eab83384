"""Pieces of work done by several processes.

Each process begins with a run of neighbouring pieces of its own, and takes from the end of the longest run that is left
when it has none.  Light pieces come last, so that all processes end at nearly the same time.  What a piece
comes to is returned under its number, so that nobody can tell who did it.
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
from gblint.runtime.stack_chunk import deep

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from gblint.parallel.fork import Channel, ForkedProcess

P = TypeVar("P", contravariant=True)
R = TypeVar("R", covariant=True)
ATTEMPTS = 2
# When so many processes have ended before their time it is no accident.
MOST_KILLED = 12
# So many pieces at the end of a run are done in the order of their weight, so that all processes end at one time.
LAST = 8
# What stands for the number of a piece where those are told that were done before it was known that they are wanted.
EARLY = -1


class _Line(Protocol):
    """An end of a line to another process: a ``Channel`` or a ``multiprocessing.connection.Connection``."""

    def send(self, message: Any, /) -> None:
        """Send an object; raises OSError."""

    def recv(self) -> Any:
        """Wait for an object; raises EOFError, OSError."""

    def poll(self) -> bool:
        """Whether something has come."""

    def close(self) -> None:
        """Listen no longer."""


class PoolWorker(Protocol[P, R]):
    """What does the pieces, in a process of its own."""

    def do(self, piece: P, step: Callable[[str], None]) -> R:
        """One piece; ``step`` is told what comes next."""

    def close(self) -> R:
        """What is left to say at the end."""


@dataclass(slots=True)
class PoolResult:
    """What came of the work: by the number of the piece, and what the processes said at their end.

    ``lost`` has the pieces that were not done, with the reason; ``killed`` says what became of processes that ended
    before their time.
    """

    parts: dict[int, Any] = field(default_factory=dict)
    closing: list[Any] = field(default_factory=list)
    lost: dict[int, str] = field(default_factory=dict)
    killed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SpeculativeWorker:
    """A process that has begun with some pieces, and waits to hear that they are wanted when it has done them."""

    process: ForkedProcess
    connection: Channel

    def give_up(self) -> None:
        """Nobody wants them."""
        self.process.terminate()
        self.connection.close()
        self.process.join()


def begin(pieces: list[P], weights: Sequence[int], jobs: int, here: PoolWorker[P, R]) -> list[SpeculativeWorker]:
    """Start all but one of ``jobs`` processes, as copies of this one, on what is to be their share of ``pieces``."""
    from gblint.parallel import fork

    started: list[SpeculativeWorker] = []
    for run_of_pieces in _runs(weights, jobs)[1:]:
        ours, theirs = fork.line()
        others = [*(each.connection for each in started), ours]
        early = tuple(run_of_pieces)
        process = fork.begin(partial(_serve, theirs, lambda: here, pieces, gc.isenabled(), others, early))
        theirs.close()
        started.append(SpeculativeWorker(process, ours))
    return started


def may_fork() -> bool:
    """Whether a process can be copied: not beside other threads, whose locks would stay closed in the copy."""
    return sys.platform.startswith("linux") and threading.active_count() == 1


def run(
    pieces: list[P],
    weights: Sequence[int],
    jobs: int,
    here: PoolWorker[P, R],
    elsewhere: Callable[[], PoolWorker[P, R]],
    told: Callable[[int], None],
    early: list[SpeculativeWorker],
    *,
    meanwhile: Callable[[], object] | None = None,
) -> PoolResult:
    """Do ``pieces`` in ``jobs`` processes; ``told`` is called with the number of each piece that is done.

    ``weights`` say about how much there is to do in each.  Those that have begun ``early`` are among the processes, and
    taken out of that list.

    Where processes can be copied each begins with a copy of ``here``; otherwise it makes its own with ``elsewhere``,
    which has to be a callable that can be pickled.  What is done ``meanwhile`` is done here when all have begun.
    """
    return _Pool(pieces, weights, jobs, here, elsewhere, told).run(early, meanwhile)


class _Pool:
    def __init__(
        self,
        pieces: list[P],
        weights: Sequence[int],
        jobs: int,
        here: PoolWorker[P, R],
        elsewhere: Callable[[], PoolWorker[P, R]],
        told: Callable[[int], None],
    ) -> None:
        self._pieces: list[Any] = pieces
        self._may_fork = may_fork()
        self._begin: Callable[[], Any] = (lambda: here) if self._may_fork else elsewhere
        self._told = told
        self._done = PoolResult()
        self._attempts = dict.fromkeys(range(len(pieces)), 0)
        self._queues = _runs(weights, jobs)
        self._light = deque(number for number, weight in enumerate(weights) if not weight)
        self._running: dict[_Line, tuple[ForkedProcess | BaseProcess, int]] = {}
        self._at: dict[_Line, int] = {}
        self._early: set[_Line] = set()

    def run(self, early: list[SpeculativeWorker], meanwhile: Callable[[], object] | None) -> PoolResult:
        try:
            for number in range(len(self._queues) - 1, -1, -1):
                if early:
                    self._take_over(early.pop(), number)
                else:
                    self._start(number)
            if meanwhile is not None:
                meanwhile()
            while self._running:
                for ready in self._ready():
                    self._hear(ready)
        finally:
            for connection, (process, _) in self._running.items():
                process.terminate()
                connection.close()
        return self._done

    def _start(self, number: int) -> None:
        ours, process = self._copy() if self._may_fork else self._spawn()
        self._running[ours] = (process, number)
        self._give(ours)

    def _copy(self) -> tuple[Channel, ForkedProcess]:
        from gblint.parallel import fork

        ours, theirs = fork.line()
        others = [*self._running, ours]
        process = fork.begin(partial(_serve, theirs, self._begin, self._pieces, gc.isenabled(), others))
        theirs.close()
        return ours, process

    def _spawn(self) -> tuple[Connection, BaseProcess]:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        arguments = (theirs, self._begin, self._pieces, gc.isenabled(), ())
        process = context.Process(target=_serve, args=arguments, daemon=True)
        process.start()
        theirs.close()
        return ours, process

    def _let_go(self, process: ForkedProcess | BaseProcess) -> None:
        """It has said all it has to say."""
        if self._may_fork:
            from gblint.parallel import fork

            fork.let_go(process)  # type: ignore[arg-type]
        else:
            process.join()

    def _ready(self) -> Sequence[_Line]:
        """Those that have something to say; waits for the first."""
        if self._may_fork:
            from gblint.parallel import fork

            return fork.ready([*self._running])  # type: ignore[list-item]
        from multiprocessing.connection import wait

        return wait([*self._running])  # type: ignore[return-value, list-item]

    def _take_over(self, early: SpeculativeWorker, number: int) -> None:
        self._running[early.connection] = (early.process, number)
        self._early.add(early.connection)
        with contextlib.suppress(OSError):  # its end is seen when it is listened to
            early.connection.send(EARLY)

    def _give(self, connection: _Line) -> None:
        """The next piece for a process, or word that there is none."""
        number = self._next(self._running[connection][1])
        with contextlib.suppress(OSError):  # its end is seen when it is listened to
            connection.send(number)
        if number is not None:
            self._attempts[number] += 1
            self._at[connection] = number

    def _next(self, queue: int) -> int | None:
        if self._queues[queue]:
            return self._queues[queue].popleft()
        longest = max(self._queues, key=len)
        if longest:
            return longest.pop()
        return self._light.popleft() if self._light else None

    def _hear(self, connection: _Line) -> None:
        try:
            number, part = connection.recv()
        except (EOFError, OSError):
            self._bury(connection)
            return
        if number == EARLY:
            self._early.discard(connection)
            for each, done in part:
                self._record(each, done)
            self._queues = [deque(each for each in queue if not self._is_done(each)) for queue in self._queues]
            self._light = deque(each for each in self._light if not self._is_done(each))
            self._give(connection)
            return
        if number is None:
            self._done.closing.append(part)
            process, _ = self._running.pop(connection)
            connection.close()
            self._let_go(process)
            return
        self._at.pop(connection, None)
        self._record(number, part)
        self._give(connection)

    def _is_done(self, number: int) -> bool:
        return number in self._done.parts or number in self._done.lost

    def _record(self, number: int, part: Any) -> None:
        if self._is_done(number):
            return  # by one that had begun early and one that did not know of it
        if isinstance(part, _Failed):
            self._done.lost[number] = part.reason
        else:
            self._done.parts[number] = part
        self._told(number)

    def _bury(self, connection: _Line) -> None:
        """A process has ended before its time: another one takes its place."""
        process, queue = self._running.pop(connection)
        connection.close()
        process.join()
        reason = _cause(process.exitcode)
        self._done.killed.append(reason)
        number = self._at.pop(connection, None)
        if number is None and connection not in self._early:
            return
        self._early.discard(connection)
        if number is not None and self._attempts[number] < ATTEMPTS and len(self._done.killed) < MOST_KILLED:
            self._queues[queue].appendleft(number)
        elif number is not None:
            self._lose(number, reason)
        if len(self._done.killed) < MOST_KILLED:
            self._start(queue)
        elif not self._running:
            for left in (*self._queues, self._light):
                while left:
                    self._lose(left.popleft(), reason)

    def _lose(self, number: int, reason: str) -> None:
        self._done.lost[number] = f"a process {reason}"
        self._told(number)


@dataclass(frozen=True, slots=True)
class _Failed:
    reason: str


def _runs(weights: Sequence[int], jobs: int) -> list[deque[int]]:
    """The numbers of what weighs anything, in ``jobs`` runs of nearly the same weight.

    The last of each are sorted: who has nothing left takes the lightest from another's end.
    """
    runs: list[deque[int]] = [deque() for _ in range(jobs)]
    total, before = sum(weights), 0
    for number, weight in enumerate(weights):
        if weight:
            runs[before * jobs // total].append(number)
            before += weight
    for each in runs:
        last = [each.pop() for _ in range(min(LAST, len(each)))]
        each.extend(sorted(last, key=lambda number: (-weights[number], number)))
    return runs


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"
    return f"ended with status {code}"


@deep
def _serve(
    connection: _Line,
    begin: Callable[[], PoolWorker[Any, Any]],
    pieces: list[Any],
    collects: bool,
    others: Sequence[_Line],
    early: Sequence[int] | None = None,
) -> None:
    """The life of a process: it does the pieces whose numbers it is sent, until it is sent none.

    Before, it does those that it was begun with ``early``, until it is sent word that they are wanted.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for other in others:
        # A copy of the other end would keep this one from seeing that nobody listens any more.
        other.close()
    if not collects:
        gc.disable()
    worker = begin()
    try:
        if early is not None:
            done = []
            for number in early:
                if connection.poll():
                    break
                done.append((number, _part(worker, pieces[number])))
            connection.send((connection.recv(), done))
        while True:
            number = connection.recv()
            if number is None:
                connection.send((None, worker.close()))
                return
            connection.send((number, _part(worker, pieces[number])))
    except (EOFError, OSError):
        return  # nobody listens any more


def _part(worker: PoolWorker[Any, Any], piece: Any) -> Any:
    try:
        return worker.do(piece, _silent)
    except Exception as error:
        return _Failed(" ".join(f"{type(error).__name__}: {error}".split())[:200])


def _silent(_: str) -> None:
    """Who works elsewhere does not say how far it is."""
