"""``gblint check --watch``: report again whenever a file changes."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gblint.cli.options import Inputs, gather
from gblint.cli.output import Streams
from gblint.cli.reports import DOCUMENTS
from gblint.config.discovery import GBLINT_TOML, PYPROJECT
from gblint.config.errors import ConfigError
from gblint.config.loading import common_parent
from gblint.diagnostics.report import FileError
from gblint.project.source_text import display_path
from gblint.runtime.lazy_dataclasses import dataclass

if TYPE_CHECKING:
    from gblint.cache.store import Cache
    from gblint.config.settings import Config
    from gblint.interp import Progress
    from gblint.pipeline.kept_session import KeptSession
    from gblint.pipeline.lint import LintRequest, LintResult

PAUSE = 0.3  # seconds between two checks of the files
MIN_SECONDS_TO_KEEP = 1.0  # for a run; the project of a quicker one is not kept
# A run in one process, whose interpreter can be kept, may take so many times as long as one in several processes.
MAX_SLOWDOWN = 1.5
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


class WatchedRun:
    """The runs of ``--watch`` on one project.

    If a run takes long, a project and an interpreter are kept in this process: the report after an edit inside
    functions then comes from them (``is_quick``), and a run from the start follows, which is only reported if it finds
    something else. ``reports`` counts the reports so far.
    """

    def __init__(self) -> None:
        self.is_quick = False
        self.reports = 0
        self._asked: tuple[LintRequest, Config] | None = None
        self._kept: KeptSession | None = None
        self._shown: object = None
        # The seconds of the longest run from the start, and of the last one that was kept; 0 if there was none.
        self._seconds = self._seconds_to_build = 0.0

    def lint(
        self, request: LintRequest, config: Config, progress: Progress, jobs: int, cache: Cache | None
    ) -> LintResult:
        """Lint the project, or what was kept of it; raises ConfigError."""
        from gblint.pipeline.lint import lint

        self._asked = request, config
        if self.is_quick:
            if self._kept is not None and self._kept.fits(request, config):
                return self._kept.lint(progress)
            return self._build(request, config, progress)
        start = time.perf_counter()
        outcome = lint(request, config, progress, jobs=jobs, cache=cache)
        self._seconds = max(self._seconds, time.perf_counter() - start)
        return outcome

    def _build(self, request: LintRequest, config: Config, progress: Progress | None = None) -> LintResult:
        """Lint the project in this process, and keep it if that takes long."""
        from gblint.pipeline.kept_session import KeptSession

        self._kept = None
        start = time.perf_counter()
        outcome, kept = KeptSession.build(request, config, progress)
        self._seconds_to_build = time.perf_counter() - start
        if self._seconds_to_build >= MIN_SECONDS_TO_KEEP:
            self._kept = kept
        return outcome

    def shows(self, outcome: LintResult) -> bool:
        """Return whether this result differs from the one on the screen; the screen is then cleared for it."""
        report = outcome.report
        parts = (report.findings, report.entries, report.errors, report.unresolved, report.missing_packages)
        found = (parts, outcome.warnings, outcome.hidden, outcome.beyond_reach)
        if found == self._shown:
            return False
        self._shown = found
        self.reports += 1
        if sys.stdout.isatty():
            sys.stdout.write(_CLEAR)
        return True

    def begin(self, changed: Sequence[Path]) -> FileError | None:
        """Prepare a report after a change; return the problem if the changed file cannot be parsed."""
        from gblint.project.source import SourceProblem

        self._shown = None
        self.is_quick = False
        if self._kept is None:
            return None
        try:
            is_applied = len(changed) == 1 and self._kept.apply(changed[0])
        except SourceProblem as problem:
            return problem.at(display_path(str(changed[0])))
        if not is_applied:
            self._kept = None
        # Several processes may be quicker than the one whose interpreter is kept.
        self.is_quick = is_applied or self._seconds_to_build < MAX_SLOWDOWN * self._seconds
        return None

    def keep(self) -> None:
        """Build what is kept, unless it is there or a run is known to be quick."""
        is_first = not self._seconds_to_build
        if self._kept is None and self._asked is not None and (is_first or self._is_slow):
            with contextlib.suppress(ConfigError):  # the next run reports it
                self._build(*self._asked)

    @property
    def _is_slow(self) -> bool:
        return max(self._seconds, self._seconds_to_build) >= MIN_SECONDS_TO_KEEP


def run(once: Callable[[WatchedRun | None], int], options: dict[str, Any]) -> int:
    """Report ``once``, and again after each change until interrupted.  Raises UsageError for options that write."""
    _refuse_conflicts(options)
    file_options = {name: options[name] for name in _FILES}

    def files() -> list[Path]:
        return _files(file_options)

    streams, watched = Streams(), WatchedRun()
    problem: FileError | None = None
    while True:
        seen = _stamps(files(), file_options["paths"])
        if problem is None:
            once(watched)
            _collect_garbage()
        else:
            streams.problems([problem])
        _print_hint(streams)
        changed: list[Path] = []
        reports = watched.reports
        if problem is None and watched.is_quick:
            changed = _run_from_the_start(once, watched, seen, files, options)
            if not changed and watched.reports > reports:
                _print_hint(streams)
        else:
            watched.keep()
        changed = changed or _wait(seen, files, file_options["paths"])
        names = ", ".join(display_path(str(path)) for path in changed[:_NAMED])
        streams.note(f"changed: {names}{', ...' if len(changed) > _NAMED else ''}")
        problem = watched.begin(changed)


def _run_from_the_start(
    once: Callable[[WatchedRun | None], int],
    watched: WatchedRun,
    seen: FileStamps,
    files: Callable[[], list[Path]],
    options: dict[str, Any],
) -> list[Path]:
    """Report what a run from the start finds, if it differs; return the files that change before it has ended.

    The run takes place in another process, and leaves its results in the cache; where there is neither, it takes place
    here and ends before a change is seen.
    """
    from gblint.parallel import fork
    from gblint.parallel.pool import may_fork

    if may_fork() and not options["no_cache"]:
        process = fork.start(lambda: _run_silently(once))
        changed = _wait(seen, files, options["paths"], process.has_ended)
        if changed:
            process.terminate()
            process.join()
            return changed
    watched.is_quick = False
    once(watched)
    _collect_garbage()
    return []


def _run_silently(once: Callable[[WatchedRun | None], int]) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    once(None)


def _print_hint(streams: Streams) -> None:
    streams.note("watching for changes; press Ctrl-C to stop")
    sys.stderr.flush()


def _collect_garbage() -> None:
    """Free what a run has left in reference cycles; it has disabled garbage collection."""
    gc.enable()
    gc.collect()


def _refuse_conflicts(options: dict[str, Any]) -> None:
    for name in _ALONE:
        if options[name]:
            shown = {"baseline_action": f"{options[name]}-baseline", "only_changed": "changed"}.get(name, name)
            raise click.UsageError(f"--watch cannot be combined with --{shown.replace('_', '-')}")
    if options["stdin_filename"] is not None or any(str(path) == "-" for path in options["paths"]):
        raise click.UsageError("--watch cannot be used with standard input")
    if options["output_format"] in DOCUMENTS:
        raise click.UsageError(f"--watch cannot be combined with --output-format {options['output_format']}")


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


def _wait(
    seen: FileStamps,
    files: Callable[[], list[Path]],
    paths: Iterable[Path],
    has_ended: Callable[[], bool] = lambda: False,
) -> list[Path]:
    """Wait until a file changes, appears or disappears, or until ``has_ended``; return the files that did."""
    while True:
        ended = has_ended()
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
        if ended:
            return []
        time.sleep(PAUSE)
