"""The output streams, their colours, the file of --output-file, and the exit status."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

import click

from gblint.cli.statuses import CLEAN, ERROR, FOUND
from gblint.config.errors import Problem
from gblint.diagnostics.finding import Severity
from gblint.diagnostics.report import FileError, Report
from gblint.project.source_text import Style, neutral
from gblint.report.summary import error_line
from gblint.report.wrapping import wrapped
from gblint.runtime.files import write_whole

COLOR = "gblint.color"  # the key of the value of --color in the context of the command


def wants_color(stream: TextIO) -> bool:
    """Return whether to colour the output on ``stream``.

    --color decides, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal.
    """
    context = click.get_current_context(silent=True)
    choice = context.meta.get(COLOR, "auto") if context is not None else "auto"
    if choice != "auto":
        return bool(choice == "always")
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Streams:
    """Standard output for the report, standard error for messages about the run."""

    def __init__(self, output_file: Path | None = None, *, quiet: bool = False) -> None:
        for stream in (sys.stdout, sys.stderr):
            # A character that the terminal's encoding lacks is escaped; it must not end the run.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        self._file = output_file
        self.quiet = quiet
        self._to_stderr = False
        self.style = Style(output_file is None and wants_color(sys.stdout))
        self.error_style = Style(wants_color(sys.stderr))

    @property
    def to_file(self) -> bool:
        """Whether the report goes to a file."""
        return self._file is not None

    @property
    def columns(self) -> int:
        """The columns of the terminal that the report is written to; 0 if it is none."""
        stream = sys.stderr if self._to_stderr else sys.stdout
        return shutil.get_terminal_size().columns if self._file is None and stream.isatty() else 0

    def report_to_stderr(self) -> None:
        """Send the report to standard error, as standard output is used for something else."""
        self._to_stderr = True
        self.style = self.error_style

    def report(self, lines: Iterable[str]) -> None:
        """Write the report to the file of --output-file or to standard output."""
        if self._file is None:
            stream = sys.stderr if self._to_stderr else sys.stdout
            try:
                for line in lines:
                    stream.write(line + "\n")
                stream.flush()
            except BrokenPipeError:
                _discard(stream)  # the reader has closed the pipe; the exit status is still valid
            except OSError as error:
                _discard(stream)
                raise click.ClickException(f"the report cannot be written: {error.strerror or error}") from None
            return
        text = "".join(line + "\n" for line in lines)
        try:
            write_whole(self._file, text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise click.ClickException(f"{self._file}: cannot be written: {error.strerror or error}") from None

    def error(self, message: str) -> None:
        """Print one line on standard error."""
        self._print_line(self.error_style.red("error"), message)

    def warning(self, message: str) -> None:
        """Print one line on standard error about a problem that does not change the exit status."""
        if not self.quiet:
            self._print_line(self.error_style.yellow("warning"), message)

    def note(self, message: str) -> None:
        """Print one line of information on standard error."""
        if not self.quiet:
            self._print_line(self.error_style.blue("note"), message)

    @property
    def is_terminal(self) -> bool:
        """Whether standard error is a terminal and messages are wanted."""
        return sys.stderr.isatty() and not self.quiet

    def hint(self, message: str) -> None:
        """Print one line of information if standard error is a terminal."""
        if self.is_terminal:
            self.note(message)

    def problems(self, problems: Iterable[Problem | FileError]) -> None:
        """Print one error line for each problem."""
        for problem in problems:
            self.error(error_line(as_error(problem)))

    @staticmethod
    def _print_line(kind: str, message: str) -> None:
        sys.stdout.flush()
        columns = shutil.get_terminal_size().columns if sys.stderr.isatty() else 0
        sys.stderr.write("\n".join(wrapped([f"{kind}: {neutral(message)}"], columns)) + "\n")


def as_error(problem: Problem | FileError) -> FileError:
    """Return a problem of the configuration as an error of the report."""
    return problem if isinstance(problem, FileError) else FileError(problem.where, problem.line, problem.message)


def status(report: Report, *, exit_zero: bool = False, fail_on: str = "info") -> int:
    """Return the exit status of a run with this report; findings less severe than ``fail_on`` do not count."""
    if report.errors:
        return ERROR
    least = Severity(fail_on).rank
    return FOUND if not exit_zero and any(each.severity.rank >= least for each in report.findings) else CLEAN


def _discard(stream: TextIO) -> None:
    """Discard the buffer: writing it at exit would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
