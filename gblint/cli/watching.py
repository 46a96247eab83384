"""``gblint check --watch``: the report again whenever a file changes."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from gblint.cli.options import Inputs, gather
from gblint.cli.output import Streams
from gblint.cli.reports import DOCUMENTS
from gblint.config.discovery import GBLINT_TOML, PYPROJECT
from gblint.config.errors import ConfigError
from gblint.config.loading import common_parent
from gblint.project.source_text import display_path
from gblint.runtime.lazy_dataclasses import dataclass

PAUSE = 0.3  # seconds between two looks at the files
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
_ALONE = ("fix", "fix_only", "diff", "add_noqa", "baseline_action", "output_file", "only_changed")
# What decides which files are looked at.
_FILES = ("paths", "entry", "entries_file", "config", "stdin_filename", "isolated", "exclude", "extend_exclude")
_TOLD = 3  # names of files that a line has room for


@dataclass(frozen=True, slots=True)
class FileStamps:
    """Files and folders as they were at one time."""

    files: dict[Path, tuple[int, int] | None]
    folders: dict[Path, tuple[int, int] | None]


def run(once: Callable[[], int], options: dict[str, Any]) -> int:
    """Report ``once`` and again, until somebody interrupts it.  Raises UsageError for what does not go with that."""
    for name in _ALONE:
        if options[name]:
            shown = {"baseline_action": f"{options[name]}-baseline", "only_changed": "changed"}.get(name, name)
            raise click.UsageError(f"--watch only reports: it does not go with --{shown.replace('_', '-')}")
    if options["stdin_filename"] is not None or any(str(path) == "-" for path in options["paths"]):
        raise click.UsageError("--watch is about files; it cannot be used with standard input")
    if options["output_format"] in DOCUMENTS:
        raise click.UsageError(
            f"--watch reports to people: it does not go with --output-format {options['output_format']}"
        )
    asked = {name: options[name] for name in _FILES}

    def files() -> list[Path]:
        return _files(asked)

    while True:
        before = _look(files(), asked["paths"])
        if sys.stdout.isatty():
            sys.stdout.write(_CLEAR)
        once()
        # The run has left it off, and what it leaves behind goes round in circles.
        gc.enable()
        gc.collect()
        streams = Streams()
        streams.note("looking out for changes; Ctrl-C ends this")
        sys.stderr.flush()
        changed = _wait(before, files, asked["paths"])
        names = ", ".join(display_path(str(path)) for path in changed[:_TOLD])
        streams.note(f"changed: {names}{', ...' if len(changed) > _TOLD else ''}")


def _files(asked: dict[str, Any]) -> list[Path]:
    """The files that are linted, and those that may configure it."""
    from gblint.pipeline.lint import LintRequest, project_of

    paths = [Path(os.path.abspath(path)) for path in asked["paths"]] or [Path.cwd()]
    top = common_parent(paths)
    found = [folder / name for folder in (top, *top.parents) for name in (GBLINT_TOML, PYPROJECT)]
    try:
        inputs: Inputs = gather(**asked)
        found += {Path(where).absolute() for where, line in inputs.config.source.locations.values() if line}
        found += project_of(LintRequest(inputs.paths, inputs.entries, {}, inputs.named), inputs.config).files
    except ConfigError as error:
        found += [Path(problem.where).absolute() for problem in error.problems if Path(problem.where).is_file()]
    return sorted({*found, *paths})


def _look(files: Iterable[Path], paths: Iterable[Path]) -> FileStamps:
    chosen = [path for path in files if not path.is_dir()]
    folders = {path.parent for path in chosen if path.exists()} | {
        Path(os.path.abspath(path)) for path in paths or [Path()]
    }
    return FileStamps({path: _stamp(path) for path in chosen}, {path: _stamp(path) for path in sorted(folders)})


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _wait(seen: FileStamps, files: Callable[[], list[Path]], paths: Iterable[Path]) -> list[Path]:
    """Return when a file is another one, or there is another file; which ones."""
    while True:
        changed = [path for path, stamp in seen.files.items() if _stamp(path) != stamp]
        if changed:
            return changed
        if any(_stamp(path) != stamp for path, stamp in seen.folders.items()):
            # Editors put files of their own beside what they save.
            now = _look(files(), paths)
            changed = sorted(now.files.keys() ^ seen.files.keys())
            if changed:
                return changed
            seen = FileStamps(seen.files, now.folders)
        time.sleep(PAUSE)
