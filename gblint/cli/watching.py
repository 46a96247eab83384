"""``gblint check --watch``: report again whenever a file changes."""

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

PAUSE = 0.3  # seconds between two checks of the files
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
_ALONE = (
    "fix",
    "fix_only",
    "diff",
    "add_noqa",
    "remove_unused_noqa",
    "baseline_action",
    "output_file",
    "only_changed",
)  # not with --watch
# The options that decide which files are watched.
_FILES = ("paths", "entry", "entries_file", "config", "stdin_filename", "isolated", "exclude", "extend_exclude")
_NAMED = 3  # the maximum number of changed files that a note names


@dataclass(frozen=True, slots=True)
class FileStamps:
    """The time of change and the size of files and folders; None for one that does not exist."""

    files: dict[Path, tuple[int, int] | None]
    folders: dict[Path, tuple[int, int] | None]


def run(once: Callable[[], int], options: dict[str, Any]) -> int:
    """Report ``once``, and again after each change until interrupted.  Raises UsageError for options that write."""
    for name in _ALONE:
        if options[name]:
            shown = {"baseline_action": f"{options[name]}-baseline", "only_changed": "changed"}.get(name, name)
            raise click.UsageError(f"--watch cannot be combined with --{shown.replace('_', '-')}")
    if options["stdin_filename"] is not None or any(str(path) == "-" for path in options["paths"]):
        raise click.UsageError("--watch cannot be used with standard input")
    if options["output_format"] in DOCUMENTS:
        raise click.UsageError(f"--watch cannot be combined with --output-format {options['output_format']}")
    file_options = {name: options[name] for name in _FILES}

    def files() -> list[Path]:
        return _files(file_options)

    while True:
        before = _stamps(files(), file_options["paths"])
        if sys.stdout.isatty():
            sys.stdout.write(_CLEAR)
        once()
        # The run has disabled garbage collection and leaves reference cycles.
        gc.enable()
        gc.collect()
        streams = Streams()
        streams.note("watching for changes; press Ctrl-C to stop")
        sys.stderr.flush()
        changed = _wait(before, files, file_options["paths"])
        names = ", ".join(display_path(str(path)) for path in changed[:_NAMED])
        streams.note(f"changed: {names}{', ...' if len(changed) > _NAMED else ''}")


def _files(file_options: dict[str, Any]) -> list[Path]:
    """Return the files that are linted, and those that may configure gblint."""
    from gblint.pipeline.lint import LintRequest, project_of

    paths = [Path(os.path.abspath(path)) for path in file_options["paths"]] or [Path.cwd()]
    top = common_parent(paths)
    found = [folder / name for folder in (top, *top.parents) for name in (GBLINT_TOML, PYPROJECT)]
    try:
        inputs: Inputs = gather(**file_options)
        found += {Path(where).absolute() for where, line in inputs.config.source.locations.values() if line}
        found += project_of(LintRequest(inputs.paths, inputs.entries, {}, inputs.named), inputs.config).files
    except ConfigError as error:
        found += [Path(problem.where).absolute() for problem in error.problems if Path(problem.where).is_file()]
    return sorted({*found, *paths})


def _stamps(files: Iterable[Path], paths: Iterable[Path]) -> FileStamps:
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
    """Wait until a file changes, appears or disappears; return the files that did."""
    while True:
        changed = [path for path, stamp in seen.files.items() if _stamp(path) != stamp]
        if changed:
            return changed
        if any(_stamp(path) != stamp for path, stamp in seen.folders.items()):
            # Editors write temporary files next to the files that they save.
            now = _stamps(files(), paths)
            changed = sorted(now.files.keys() ^ seen.files.keys())
            if changed:
                return changed
            seen = FileStamps(seen.files, now.folders)
        time.sleep(PAUSE)
