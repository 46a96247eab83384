"""The start of the process: ``--version`` and the fast path need no imports of the analysis."""

from __future__ import annotations

import gc
import os
import sys

from gblint.cli.statuses import INTERRUPTED


def main() -> None:
    """Run the command with the arguments of the process; Ctrl-C ends it without a traceback, also while it starts."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _run() -> None:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open to the end
    arguments = sys.argv[1:]
    # Imported modules live until the end, so a collection finds no garbage; it took a seventeenth of the start.
    gc.disable()
    if arguments in (["--version"], ["-V"]):
        from gblint import __version__
        from gblint.runtime.mypyc import is_compiled

        try:
            print(f"gblint {__version__}{' (compiled)' if is_compiled() else ''}", flush=True)
        except OSError as error:
            sys.stderr.write(f"error: the version cannot be written: {error.strerror}\n")
            os._exit(2)  # flushing the buffer at exit would fail again
        return
    if arguments[:1] == ["check"]:
        arguments = _file_names_apart(arguments)
        from gblint.cli import fast_path

        try:
            status = fast_path.attempt(arguments[1:])
        except OSError:
            status = None  # the command reports the error
        if status is not None:
            sys.exit(status)
    from gblint.cli import termination

    if arguments[:1] != ["server"]:  # it ends at once, as its client expects
        termination.install()
    from gblint.cli.main import main as command

    gc.freeze()
    gc.enable()
    command(arguments)


def _file_names_apart(arguments: list[str]) -> list[str]:
    """Write ``./`` before each name of a file that would be read as an option.

    pre-commit passes the names of a repository's files as they are, and a file may be named ``--output-file=setup.py``.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    names = (f"./{each}" if each[:1] == "-" != each and os.path.lexists(each) else each for each in arguments[:end])
    return [*names, *arguments[end:]]
