"""The messages between the server and the worker processes; all of them can be pickled."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from gblint.config.errors import Problem
from gblint.config.settings import Config
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.line_explanation import LineExplanation
from gblint.diagnostics.report import FileError
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.runtime.lazy_dataclasses import dataclass, field

Kind = Literal["lint", "fixes", "fix-all", "why"]
LENGTH = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class JobScope:
    """The part of a project that a run after an edit analyses.
    The files ``files`` are searched for entry points.  The entry points in ``entries``, and those in the edited files
    ``changed``, are analysed.  ``assume`` overrides ``assume-entries`` of the configuration.
    """

    files: frozenset[str]
    entries: frozenset[tuple[str, str, int]]
    changed: frozenset[str]
    assume: str | None = None

    def wants(self, point: EntryPoint) -> bool:
        """Return whether an entry point is in the scope."""
        return str(Path(point.path).absolute()) in self.changed or entry_key(point) in self.entries


@dataclass(frozen=True, slots=True)
class AnalysisJob:
    """A request for the project below ``root``.

    - ``overlays``: the texts of files that are open in the editor.
    - ``epoch``: the project of the previous job is reused if its epoch was the same.
    - ``reread``: files that have changed on disk since then.
    - ``options``: settings of the editor.
    - ``fallback``: the configuration to use if that of the project has errors.
    - ``number``: the number of this job.
    - ``only_amends``: decline the job unless all edits since the last job can be applied to what that job has left.
    - ``base``: the number of the job whose answer the server has; an unchanged program is not analysed again.
    - ``path``, ``line``: the place that "why", "fixes" and "fix-all" refer to.
    - ``part``: the lines to which "fix-all" is restricted.
    """

    kind: Kind
    root: Path
    paths: tuple[Path, ...]
    overlays: Mapping[Path, str]
    epoch: int
    options: Mapping[str, Any] = field(default_factory=dict)
    config_file: Path | None = None
    fallback: Config | None = None
    reread: frozenset[str] = frozenset()
    scope: JobScope | None = None
    path: Path | None = None
    line: int = 0
    part: tuple[int, int] | None = None
    number: int = 0
    base: int = 0
    only_amends: bool = False


@dataclass(slots=True)
class Answer:
    """The result of a job.

    - ``problems``: errors in the configuration.
    - ``crash``: the message of an internal error.
    - ``broken``: the open files that cannot be parsed; then nothing was analysed.
    - ``unresolved``: the compiled objects that were not analysed, as the last run of the whole project found them.
    - ``same``: true if nothing was analysed because the program has not changed.
    - ``declined``: true if nothing was analysed because the edits are more than ``only_amends`` allows.
    - ``text``: a file after its fixes.
    - ``memory``: the most memory that the process has used so far, in bytes; 0 where the system does not tell.
    """

    config: Config | None = None
    problems: tuple[Problem, ...] = ()
    findings: list[Finding] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    warnings: list[FileError] = field(default_factory=list)
    entries: list[EntryPoint] = field(default_factory=list)
    reach: Mapping[tuple[str, str, int], frozenset[str]] = field(default_factory=dict)
    note: str | None = None
    broken: list[FileError] = field(default_factory=list)
    unresolved: list[UnresolvedTarget] = field(default_factory=list)
    same: bool = False
    why: LineExplanation | None = None
    text: str | None = None
    crash: str = ""
    seconds: float = 0.0
    declined: bool = False
    memory: int = 0


@dataclass(frozen=True, slots=True)
class JobProgress:
    """The progress of a job: ``done`` of ``total`` steps; ``name`` is the next one."""

    done: int
    total: int
    name: str


def entry_key(point: EntryPoint) -> tuple[str, str, int]:
    """Return the identity of an entry point, without its region."""
    return point.name, point.path, point.line


def packed(item: AnalysisJob | Answer | JobProgress) -> bytes:
    """Return the bytes of an item for the pipe: the length of its pickle and the pickle itself."""
    data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data
