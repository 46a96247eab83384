"""SIGTERM and SIGHUP end a command like Ctrl-C: runs end, temporary folders are removed, and verdicts are kept.

The process ends by the same signal afterwards, so that the caller sees why it ended.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys

_SIGNALS = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP
_received: list[int] = []


def install() -> None:
    """Turn the signals into KeyboardInterrupt, except those that the caller has made this process ignore."""
    for number in (getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
    atexit.register(_end_as_received)  # as the first one, it is called last


def _interrupt(number: int, frame: object) -> None:
    _received.append(number)
    raise KeyboardInterrupt


def _end_as_received() -> None:
    """End this process by the first signal that it has received; does nothing if there was none."""
    if _received:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        signal.signal(_received[0], signal.SIG_DFL)
        os.kill(os.getpid(), _received[0])
