"""Where the command starts: its version is told before anything is loaded."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command with the arguments of the process."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from gblint import __version__

        print(f"gblint {__version__}")
        return
    from gblint.cli.main import main as command

    command()
