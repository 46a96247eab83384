"""Room on the stack of Python for deep calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

C = TypeVar("C", bound=Callable[..., Any])
# More than the frames of as many calls as a trace may be deep, as a number of pointers just above a power of two.
ROOM = (1 << 18) + 1


def deep(function: C) -> C:
    """Let the frames of all calls below ``function`` find room behind its own.

    Since Python 3.11 frames lie in blocks of 16 kB.  One is asked of the system when a call goes beyond the last, and
    is given back when that call returns, each time anew: an interpreter that goes up and down there spends a fifth of
    its time on that.  The block for a larger frame is doubled until the frame fits, so that one just above a power of
    two leaves as much room again behind it.  Memory that nobody writes to costs nothing.
    """
    if sys.version_info >= (3, 11):
        plain = cast(FunctionType, function)
        code = plain.__code__
        plain.__code__ = code.replace(co_stacksize=code.co_stacksize + ROOM)
    return function
