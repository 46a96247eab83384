"""Compilation without the measurement of guards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def guards_not_measured() -> Iterator[None]:
    """Keep Dynamo from measuring the guards of the code that it compiles inside; it only logs the result.

    For the measurement Dynamo flushes the caches of the processor (``CheckFunctionManager`` in
    torch/_dynamo/guards.py): 28 of the 39 ms that it takes to compile ``x + 1`` with torch 2.13 on a CPU. The outcome
    of compilation does not depend on it. Torch is imported.
    """
    from torch._dynamo import guards

    module: Any = guards
    original = getattr(module, "profile_guard_manager", None)
    if original is None:
        yield
        return
    module.profile_guard_manager = lambda *_: 0.0  # microseconds
    try:
        yield
    finally:
        module.profile_guard_manager = original
