"""Translate gblint to C, without compiling the C: mypyc refuses some code that mypy accepts.

mypyc takes the types of the standard library of the Python that runs it.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile

from compiled import build

# mypyc warns of each generator expression that becomes a list, which is no fault.
_EXPECTED = "warning: Treating generator comprehension as list"


def main() -> int:
    """Exit status: 0; 1 if mypyc refuses a module, with its messages on standard output."""
    said, here = io.StringIO(), os.getcwd()
    refused: str | int | None = None
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
        os.chdir(folder)
        try:
            build.extensions()
        except SystemExit as stopped:
            refused = stopped.code or "mypyc stopped"
        finally:
            os.chdir(here)
    lines = [line for line in said.getvalue().splitlines() if line and _EXPECTED not in line]
    print(*lines, *([refused] if isinstance(refused, str) else []), sep="\n")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
