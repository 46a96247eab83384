"""Places in messages, seen from the file that a message is about: the working directory of a server says nothing."""

from __future__ import annotations

import os
from collections.abc import Callable

from gblint.project.source_text import notebook_at, place

MOST_UP = 3  # folders above the file in a relative path


def seen_from(path: str) -> Callable[[str, int], str]:
    """Return a function that formats a place for a message about the file ``path``: ``line 3``, ``../model.py:3``."""
    origin = os.path.abspath(path)

    def shown(other: str, line: int) -> str:
        target = os.path.abspath(other)
        if notebook_at(target) is not None:
            return place(other, line)
        if target == origin:
            return f"line {line}"
        try:
            relative = os.path.relpath(target, os.path.dirname(origin))
        except ValueError:  # on another drive
            return place(other, line)
        far = relative.startswith(os.path.join(*[os.pardir] * (MOST_UP + 1)))
        return place(other, line) if far else f"{relative.replace(os.sep, '/')}:{line}"

    return shown
