"""Last part of a run's output, and the place at which a faulthandler traceback in it ends."""

from __future__ import annotations

import os
import re
from pathlib import Path

from gblint.runtime.files import open_regular

TAIL_CHARACTERS = 4000  # characters
_READ_BYTES = 64 * 2**10
# Format of faulthandler, innermost frame first.
_STACK_LINE = re.compile(r'^  File "([^"\n]+)", line (\d+) in (.+)$', re.MULTILINE)
_STACK = re.compile(r"^(?:Current thread|Thread) 0x[0-9a-f]+.*\(most recent call first\):\n", re.MULTILINE)


def tail(path: Path, characters: int = TAIL_CHARACTERS) -> str:
    """Return the last characters of a file, or "" if it cannot be read."""
    try:
        with open(open_regular(path), "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(file.tell() - _READ_BYTES, 0))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    return text[-characters:].strip("\n")


def last_location(path: Path, root: str) -> str:
    """Return where below ``root`` the last faulthandler traceback in a file ends: ``file.py:3 in f``, or ""."""
    text = tail(path, _READ_BYTES)
    stacks = [text[found.end() :] for found in _STACK.finditer(text)]
    for stack in reversed(stacks):
        for name, line, function in _STACK_LINE.findall(stack.partition("\n\n")[0]):
            if name.startswith(root.rstrip(os.sep) + os.sep) and "site-packages" not in name:
                return f"{os.path.relpath(name, root)}:{line} in {function}"
    return ""
