"""Where the command starts: what needs little is said before the rest is loaded."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command with the arguments of the process."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from gblint import __version__
        from gblint.native import is_compiled

        print(f"gblint {__version__}{' (compiled)' if is_compiled() else ''}")
        return
    if arguments[:1] == ["check"]:
        from gblint.cli import plain

        try:
            status = plain.attempt(arguments[1:])
        except OSError:
            status = None  # the command says what is wrong
        if status is not None:
            sys.exit(status)
    from gblint.cli.main import main as command

    command()
