"""What the server asks of the processes that analyse, and what they answer; all of it can be pickled."""

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
from gblint.runtime.lazy_dataclasses import dataclass, field

Kind = Literal["lint", "fixes", "fix-all", "why"]
LENGTH = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class JobScope:
    """The part of a project that a quick run looks at.

    ``files`` are searched for entry points, of which those in ``entries`` are analysed and those that are made in
    ``changed``, which are the files that were edited.  ``assume`` takes the place of the configuration's.
    """

    files: frozenset[str]
    entries: frozenset[tuple[str, str, int]]
    changed: frozenset[str]
    assume: str | None = None

    def wants(self, point: EntryPoint) -> bool:
        """Whether an entry point is to be analysed."""
        return str(Path(point.path).absolute()) in self.changed or entry_key(point) in self.entries


@dataclass(frozen=True, slots=True)
class AnalysisJob:
    """One thing to do for the project below ``root``, with the texts that are open in the editor.

    What is kept of a project from the last job is good as long as ``epoch`` stays the same, but for the files
    ``reread``, which have changed on disk.  ``options`` are settings of the editor, ``fallback`` is the configuration
    to use where the file cannot be.  ``base`` is the ``number`` of the job whose answer the server builds on: a
    program that is the same since then is not analysed again.  ``path`` and ``line`` say what "why", "fixes" and
    "fix-all" are about; with ``part``, "fix-all" is about these lines only.
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


@dataclass(slots=True)
class Answer:
    """What came of a job.

    ``problems`` are those of the configuration, ``crash`` says what went wrong with the run itself.  ``broken`` has the
    open files that cannot be parsed, for which nothing was analysed.  ``same`` says that nothing was analysed because
    the program is what it was.  ``text`` is a file with its fixes.
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
    same: bool = False
    why: LineExplanation | None = None
    text: str | None = None
    crash: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job is: ``done`` of ``total`` things, the next of which is ``name``."""

    done: int
    total: int
    name: str


def entry_key(point: EntryPoint) -> tuple[str, str, int]:
    """What tells an entry point from others, whatever its region is."""
    return point.name, point.path, point.line


def packed(item: AnalysisJob | Answer | JobProgress) -> bytes:
    """The item as it goes through a pipe."""
    data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data
