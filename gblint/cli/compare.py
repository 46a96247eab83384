"""``gblint compare``: the differences between two reports, or between two commits."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gblint.cli.file_option import FileOption
from gblint.cli.options import color_option
from gblint.cli.output import Streams
from gblint.cli.statuses import CLEAN, ERROR, FOUND
from gblint.runtime.files import read_text

# Nothing of the folder that is checked is imported, not even a package of the name ``gblint``.
_START = f"import sys; sys.path[:] = {[path for path in sys.path if path]!r}; from gblint.cli.start import main; main()"
# A folder of the project may be laid out as a repository, whose settings name programs; git ignores such a folder then.
_GIT = ("git", "-c", "safe.bareRepository=explicit")

if TYPE_CHECKING:
    from gblint.report.comparison import Item


class _ComparisonProblem(Exception):
    """A report or commit that cannot be used; the message is one line for the user."""


@click.command(short_help="Compare two reports or commits: new findings, and findings that are gone.")
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="[AFTER]", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- OPTIONS]")
@click.option(
    "--output-format", type=click.Choice(("full", "json", "markdown")), default="full", help="The format of the report."
)
@click.option("-o", "--output-file", type=FileOption(), metavar="FILE", help="Write the report to this file.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are new findings.")
@color_option
def compare(
    *,
    before: str,
    after: str | None,
    arguments: tuple[str, ...],
    output_format: str,
    output_file: Path | None,
    exit_zero: bool,
) -> int:
    """Compare BEFORE with AFTER (default: the files of this folder as they are).

    Each is a JSON report of `gblint check`, or a commit of the git repository, which is checked in a temporary folder.
    OPTIONS are passed to `gblint check` for commits and for the files of this folder.

    Exits with 0 if nothing is new, 1 for new findings, 2 for a report or commit that cannot be used.
    """
    from gblint.report import comparison

    streams = Streams(output_file)
    if before.startswith("-"):
        raise click.UsageError("Missing argument 'BEFORE'.")
    if after is not None and after.startswith("-"):
        arguments, after = (after, *arguments), None
    try:
        documents = [_document(before, arguments), _document(after, arguments)]
    except _ComparisonProblem as problem:
        streams.error(str(problem))
        return ERROR
    found = comparison.compare(*documents)
    if output_format == "json":
        streams.report([comparison.as_json(found)])
    elif output_format == "markdown":
        streams.report(comparison.as_markdown(found))
    else:
        streams.report(comparison.as_text(found, streams.style))
    if streams.to_file:
        streams.note(comparison.sentence(found))
    return FOUND if found.new and not exit_zero else CLEAN


def _document(name: str | None, arguments: tuple[str, ...]) -> Item:
    """Return the report of a file, of a commit, or for None of the files of this folder."""
    from gblint.report import comparison

    if name is None:
        return _checked(Path.cwd(), arguments)
    if not Path(name).is_file():
        return _of_commit(name, arguments)
    try:
        return comparison.parse(read_text(Path(name)))
    except comparison.NoReportError as problem:
        raise _ComparisonProblem(f"{name}: {problem}") from None
    except (OSError, ValueError) as error:
        raise _ComparisonProblem(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _of_commit(name: str, arguments: tuple[str, ...]) -> Item:
    """Return the report on a commit of the repository around the working directory."""
    top = Path(_git("rev-parse", "--show-toplevel", missing=f"{name} is not a file, and this is not a git repository"))
    commit = _git(
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        f"{name}^{{commit}}",
        missing=f"{name} is neither a file nor a commit",
    )
    here = Path.cwd().resolve().relative_to(top.resolve())
    archive = subprocess.run([*_GIT, "archive", commit], cwd=top, capture_output=True, check=False)
    if archive.returncode:
        raise _ComparisonProblem(f"git cannot export {name}: {archive.stderr.decode(errors='replace').strip()}")
    with tempfile.TemporaryDirectory(prefix="gblint-") as folder:
        _unpack(archive.stdout, Path(folder))
        place = Path(folder) / here
        if not place.is_dir():
            raise _ComparisonProblem(f"{name} does not have the folder {here.as_posix()}")
        return _checked(place, (*_environment(), *arguments))


def _unpack(archive: bytes, folder: Path) -> None:
    """Unpack the regular files of an archive that git made."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            target = folder / member.name
            if member.isdir():
                target.mkdir(parents=True, exist_ok=True)
            elif member.isfile() and folder in target.parents and ".." not in target.parts:
                content = files.extractfile(member)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(b"" if content is None else content.read())


def _environment() -> tuple[str, ...]:
    """Return the options for the environment of the working directory, which an exported commit does not have.

    An environment is passed as its folder: an interpreter that lies in the project must not be started.
    """
    from gblint.project.environment import Environment

    found = Environment.discover(None, Path.cwd())
    place = found.prefix or found.python
    return () if place is None else ("--python", str(place))


def _checked(folder: Path, arguments: tuple[str, ...]) -> Item:
    """Return the report of ``gblint check`` in a folder."""
    from gblint.report import comparison

    options = ["check", *arguments, "--output-format", "json", "--exit-zero"]
    run = subprocess.run([sys.executable, "-c", _START, *options], cwd=folder, stdout=subprocess.PIPE, check=False)
    try:
        return comparison.parse(run.stdout.decode("utf-8", "replace"))
    except comparison.NoReportError:
        raise _ComparisonProblem(f"gblint check ended with status {run.returncode} and without a report") from None


def _git(*arguments: str, missing: str) -> str:
    """Return the output of git, without the newline at its end; raise _ComparisonProblem with ``missing``."""
    try:
        run = subprocess.run([*_GIT, *arguments], capture_output=True, check=False)
    except OSError:
        raise _ComparisonProblem("git is not installed") from None
    if run.returncode:
        raise _ComparisonProblem(missing)
    return os.fsdecode(run.stdout).rstrip("\n")
