"""The ``gblint`` command.  The module of a subcommand is imported when the subcommand is used."""

from __future__ import annotations

import atexit
import errno
import importlib
import os
import sys
import threading
from typing import Any

import click

from gblint import __version__
from gblint.cli.output import Streams
from gblint.cli.statuses import ERROR, INTERRUPTED
from gblint.config.errors import suggestion
from gblint.runtime.mypyc import is_compiled

_COMMANDS = {
    "check": "gblint.cli.check",
    "clean": "gblint.cli.clean",
    "compare": "gblint.cli.compare",
    "completion": "gblint.cli.completion",
    "confirm": "gblint.cli.confirm",
    "entries": "gblint.cli.entries",
    "explain": "gblint.cli.explain",
    "logs": "gblint.cli.logs",
    "rules": "gblint.cli.rules",
    "server": "gblint.cli.server",
}


class _LazyGroup(click.Group):
    """A group of commands; each is the function of the same name in its module of ``_COMMANDS``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = getattr(importlib.import_module(_COMMANDS[cmd_name]), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            meant = _ALIASES.get(name)
            hint = f"; it is gblint {meant}" if meant else suggestion(name, _COMMANDS)
            ctx.fail(f"there is no command {name!r}{hint or f'; to check a file or folder: gblint check {name}'}")
        return super().resolve_command(ctx, args)


# Commands of other linters, and the equivalent command of gblint.
_ALIASES = {
    "rule": "explain",
    "lint": "check",
    "fix": "check --fix",
    "config": "check --show-settings",
    "lsp": "server",
    "format": "check --fix",
    "analyze": "check",
    "diff": "compare",
    "linter": "rules",
    "version": "--version",
    "generate-shell-completion": "completion",
}


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(
    __version__,
    "-V",
    "--version",
    prog_name="gblint",
    message="%(prog)s %(version)s" + (" (compiled)" if is_compiled() else ""),
)
def gblint() -> None:
    """The linter for torch.compile: finds graph breaks in PyTorch source before anything runs.

    \b
    gblint check             lint the project in this folder
    gblint explain GBL101    a rule: why the graph breaks, and the code to write instead
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command and exit with its status; a traceback is never shown."""
    _exit(run(arguments))


def _exit(status: int) -> None:
    """End the process without freeing its memory, which can take a seventh of the run time."""
    if threading.active_count() == 1 and sys.getprofile() is None and sys.gettrace() is None:
        try:
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        except Exception:
            sys.exit(status)  # prints the error
        os._exit(status)
    sys.exit(status)


def run(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    streams = Streams()
    try:
        status: Any = gblint.main(arguments, prog_name="gblint", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        streams.report(error.message.splitlines())
        return ERROR
    except click.UsageError as error:
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        streams.error(f"{error.format_message().rstrip('.')}{hint}")
        return ERROR
    except click.ClickException as error:
        streams.error(error.format_message())
        return ERROR
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:
        if _is_interruption(error):
            return INTERRUPTED
        if os.environ.get("GBLINT_DEBUG"):
            raise
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            streams.error("there is no space left for the output")
            return ERROR
        if _is_folder_gone():
            streams.error("the working directory no longer exists")
            return ERROR
        detail = " ".join(str(error).split())
        streams.error(
            f"internal error: {type(error).__name__}: {detail} (GBLINT_DEBUG=1 shows where; please report it)"
        )
        return ERROR


def _is_interruption(error: BaseException | None) -> bool:
    """Return whether Ctrl-C led to the error: Python up to 3.11 raises RuntimeError where a class is being made."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _is_folder_gone() -> bool:
    try:
        os.getcwd()
    except OSError:
        return True
    return False
