"""Check for a valid ``.pyc``: a source file that Python has compiled in its current state has no syntax error."""

from __future__ import annotations

import importlib.util
import os
import stat

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
# The magic number of this Python and the flags for invalidation by modification time and size (PEP 552).
_START = importlib.util.MAGIC_NUMBER + bytes(4)
_HEADER = 16


def has_bytecode(path: str, time: int, size: int) -> bool:
    """Return whether this Python has compiled the file, which has ``size`` and was modified at ``time`` (in ns).

    The check is the one that Python does: the first 16 bytes of the file in ``__pycache__`` must have the same time
    and size, and that file must not be older.  The rest of the file is not read, and nothing is run.
    """
    try:
        number = os.open(importlib.util.cache_from_source(path), _FLAGS)
    except (OSError, ValueError, NotImplementedError):
        return False
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode) or status.st_mtime_ns < time:
            return False
        header = os.read(number, _HEADER)
    except OSError:
        return False
    finally:
        os.close(number)
    return header == _START + _word(time // 1_000_000_000) + _word(size)


def _word(number: int) -> bytes:
    return (number & 0xFFFF_FFFF).to_bytes(4, "little")
