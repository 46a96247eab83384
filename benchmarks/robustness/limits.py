"""Run an action in a process of its own, with limits of processor time and memory.

Garbage collection is off there, as in ``gblint check``.
"""

from __future__ import annotations

import gc
import multiprocessing
import resource
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.robustness.files import UNIT, Outcome

# The limits for an input of fewer than 1,000 lines.
SECONDS = 10.0
MEMORY = 500 << 20
# The process may exceed the limit for a while, so that its processor time can be measured.
_ENDED_AFTER = 60
_ADDRESS_SPACE = 3 << 30


def limited(action: Callable[[], Outcome], seconds: float = SECONDS) -> Outcome:
    """Run the action in a fork of this process, and add a fault for each limit that it exceeded.

    seconds: the limit of processor time.
    """
    context: Any = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(action, theirs))
    process.start()
    theirs.close()
    try:
        outcome = ours.recv()
        assert isinstance(outcome, Outcome)
    except EOFError:
        process.join()
        over = process.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
        said = f"not done after {_ENDED_AFTER} s" if over else f"the process ended with {process.exitcode}"
        return Outcome("", faults=[said])
    finally:
        ours.close()
        process.join()
    if outcome.seconds > seconds:
        outcome.faults.append(f"took {outcome.seconds:.1f} s")
    if outcome.memory > MEMORY:
        outcome.faults.append(f"took {outcome.memory >> 20} MB")
    return outcome


def _run(action: Callable[[], Outcome], connection: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_ENDED_AFTER, _ENDED_AFTER + 5))
    space = _address_space() + _ADDRESS_SPACE
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
    gc.disable()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = action()
    # A fork begins with the memory of its parent.
    outcome.memory -= before * UNIT
    connection.send(outcome)


def _address_space() -> int:
    """Return the size of the address space in bytes; a fork inherits its parent's, which may have loaded torch."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return 0  # there is no such file outside of Linux
    return pages * resource.getpagesize()
