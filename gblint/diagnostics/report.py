"""The report of a run."""

from __future__ import annotations

from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.verification import Verification
from gblint.runtime.lazy_dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FileError:
    """A file that could not be read or parsed, or a requested object that does not exist."""

    path: str
    line: int
    message: str


@dataclass(slots=True)
class Report:
    """Everything that one run of ``gblint check`` found."""

    torch_version: str
    entries: list[EntryPoint] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    files: int = 0
    verification: Verification | None = None
