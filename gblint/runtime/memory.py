"""The memory that this process uses."""

from __future__ import annotations

import sys


def peak_memory() -> int:
    """Return the most memory that the process has used so far, in bytes; 0 on Windows, where it is not known."""
    if sys.platform == "win32":
        return 0
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
