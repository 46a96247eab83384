"""Run a command at a pseudo-terminal, or in a pipe if the first option is --pipe, and discard its output.

The exit status is that of the command.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys


def in_terminal(command: list[str]) -> int:
    """Run a command at a pseudo-terminal; return its exit status."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(command, stdin=end, stdout=end, stderr=end)
    os.close(end)
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:
        pass  # Linux reports the end of a pseudo-terminal as an error
    os.close(terminal)
    return process.wait()


def in_pipe(command: list[str]) -> int:
    """Run a command in a pipe; return its exit status."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(in_pipe(arguments[1:]) if arguments[:1] == ["--pipe"] else in_terminal(arguments))
