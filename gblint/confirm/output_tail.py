"""What a run printed: the end of it, and where a traceback in it says that the run was."""

from __future__ import annotations

import os
import re
from pathlib import Path

TAIL_CHARACTERS = 4000  # characters
_READ = 64 * 2**10
# As faulthandler writes them, innermost first.
_DUMPED = re.compile(r'^  File "([^"\n]+)", line (\d+) in (.+)$', re.MULTILINE)
_STACK = re.compile(r"^(?:Current thread|Thread) 0x[0-9a-f]+.*\(most recent call first\):\n", re.MULTILINE)


def tail(path: Path, characters: int = TAIL_CHARACTERS) -> str:
    """The last of what a file has."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(file.tell() - _READ, 0))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    return text[-characters:].strip("\n")


def last_location(path: Path, root: str) -> str:
    """Where the last traceback of faulthandler's in a file ends below ``root``: ``file.py:3 in f``; else nothing."""
    text = tail(path, _READ)
    stacks = [text[found.end() :] for found in _STACK.finditer(text)]
    for stack in reversed(stacks):
        for name, line, function in _DUMPED.findall(stack.partition("\n\n")[0]):
            if name.startswith(root.rstrip(os.sep) + os.sep) and "site-packages" not in name:
                return f"{os.path.relpath(name, root)}:{line} in {function}"
    return ""
