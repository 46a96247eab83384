"""Units of work: the parts of a scan that do not depend on each other, and their results."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Protocol

from gblint.cache.store import Dependencies
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.report import FileError
from gblint.diagnostics.span import Span
from gblint.entrypoints.search import EntrySearch
from gblint.interp import Entry, Interpreter, Observer, TraceResult
from gblint.pipeline.context import RunContext
from gblint.project.configurations import MAX_FILES, MAX_FOLDERS
from gblint.project.dependencies import DependencyRecorder
from gblint.project.project import Project
from gblint.runtime.lazy_dataclasses import dataclass, field

# A unit of files ends after FILES_PER_UNIT files, in a large project after more, or as soon as it has MAX_UNIT_BYTES of
# source.  All depends on the list of files and their sizes only: a changed file changes its own unit and at most those
# next to it.  What a model is made of is evaluated once a unit: 4 files a unit take twice the steps of 16 in
# sentence-transformers, and a change of one file in diffusers takes as long with either.
FILES_PER_UNIT, MOST_FILES_PER_UNIT = 4, 16
# A project has so many units at least before they get larger, for the processes to share.
UNITS_OF_FEW_FILES = 12
MAX_UNIT_BYTES = 400_000
ENTRIES_PER_UNIT = 16
# The beginnings of the names of units.  The entry points found in the project are one unit, named ENTRIES.
FILES, ENTRIES = "files ", "entries"


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """Some files, as indices into the files of the project, or some entry points, as indices into those found."""

    files: range = range(0)
    entries: range = range(0)

    @property
    def step_count(self) -> int:
        """The number of files and entry points."""
        return len(self.files) + len(self.entries)


@dataclass(frozen=True, slots=True)
class FixVote:
    """The fixes that one unit proposes for a finding, identified by its code, span and message.

    ``text`` is the digest of the text of the file. ``left_out``: its fixes were not worked out, since that takes too
    long.
    """

    code: str
    span: Span
    message: str
    fixes: tuple[Fix, ...]
    text: str
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class FixWork:
    """The work of one unit on the fixes of a file, as ``FixBudget`` counts it."""

    path: str
    work: int


@dataclass(frozen=True, slots=True)
class ExecutedLines:
    """The lines of a file that a unit runs: first and last line of each stretch, one after the other."""

    path: str
    lines: tuple[int, ...]

    def overlaps(self, first: int, last: int) -> bool:
        """Return whether a line from ``first`` to ``last`` was run."""
        return any(low <= last and first <= high for low, high in zip(self.lines[::2], self.lines[1::2]))


@dataclass(slots=True)
class UnitResult:
    """The result of one unit.

    ``read`` and ``words``: the dependencies.  The result holds as long as the files in ``read`` are unchanged and no
    other user file contains one of the ``words``, now or before.
    ``problems``: errors of this run.  ``errors``: files that could not be read or parsed.
    ``votes`` and ``executed``: the fixes that the unit proposes, and the lines that it runs.  ``fix_work``: the work on
    the fixes of each file.
    ``dependencies``: the files and folders that a process has read; only set in the final result of a process.
    """

    name: str = ""
    read: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    traces: list[TraceResult] = field(default_factory=list)
    problems: list[FileError] = field(default_factory=list)
    warnings: list[FileError] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    votes: list[FixVote] = field(default_factory=list)
    executed: list[ExecutedLines] = field(default_factory=list)
    fix_work: list[FixWork] = field(default_factory=list)
    dependencies: Dependencies | None = None

    def record_dependencies(self, project: Project, recorder: DependencyRecorder) -> None:
        """Store the dependencies of the work, the errors of the files among them, and what to warn about."""
        self.read = tuple(sorted({*(str(module.path) for module in recorder.modules), *recorder.files}))
        self.words = tuple(sorted(recorder.words))
        displayed = {module.display for module in recorder.modules}
        self.errors = [error for error in project.errors if error.path in displayed]
        if recorder.files and project.has_more_configurations:
            text = (
                f"at most {MAX_FILES:,} YAML files in {MAX_FOLDERS:,} folders are read: classes in others are not known"
            )
            self.warnings.append(FileError(str(project.root), 0, text))


class UnitHook(Protocol):
    """A step after each unit, in the process of the unit, that may add to its result.  It can be pickled."""

    @property
    def key(self) -> str:
        """A text that differs between hooks with different results; part of the key of the cache."""

    def new_observer(self) -> Observer | None:
        """Return the observer for the interpreters of one process."""

    def __call__(self, interpreter: Interpreter, result: UnitResult, /) -> None:
        """Add to the result of the unit that the interpreter has just finished."""


def divide(context: RunContext, search: EntrySearch, *, requested: bool, all_files: bool) -> list[WorkUnit]:
    """Return the units of a scan; they do not depend on the number of processes.

    Entry points come first: requested ones in groups, those found in the project as a single unit.  Then, with
    ``all_files``, the files.  Neighbouring files are one unit, since they mostly call the same functions.
    """
    ranges = _entry_ranges(search.entries) if requested else [range(len(search.entries))] if search.entries else []
    units = [WorkUnit(entries=each) for each in ranges]
    return units + [WorkUnit(files=files) for files in _file_ranges(context)] if all_files else units


def is_divided(entries: list[Entry]) -> bool:
    """Return whether requested entry points are several units."""
    return len(_entry_ranges(entries)) > 1


def _entry_ranges(entries: list[Entry]) -> list[range]:
    """Return the groups of requested entry points; neighbours from one file, which share a budget, are in one group."""
    ranges: list[range] = []
    start = 0
    for end in range(1, len(entries) + 1):
        is_last = end == len(entries)
        if is_last or (end - start >= ENTRIES_PER_UNIT and entries[end].point.path != entries[end - 1].point.path):
            ranges.append(range(start, end))
            start = end
    return ranges


def _file_ranges(context: RunContext) -> Iterator[range]:
    modules = list(context.project.user_modules())
    most = min(MOST_FILES_PER_UNIT, max(FILES_PER_UNIT, len(modules) // UNITS_OF_FEW_FILES))
    start = total = 0
    for number, module in enumerate(modules):
        total += size_of_file(str(module.path))
        is_last = number == len(modules) - 1
        if is_last or total >= MAX_UNIT_BYTES or (number + 1) % most == 0:
            yield range(start, number + 1)
            start, total = number + 1, 0


def size_of_file(path: str) -> int:
    """Return the bytes of a file, 0 if it cannot be read."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def internal_error(path: str, line: int, task: str, error: Exception) -> FileError:
    """Return the message about a defect of gblint; it costs one entry point or check, not the run."""
    detail = " ".join(str(error).split())[:200]
    text = type(error).__name__ + (f": {detail}" if detail else "")
    return FileError(path, line, f"internal error while tracing {task}: {text}")
