"""The report of a run."""

from __future__ import annotations

from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.missing_package import MissingPackage
from gblint.diagnostics.unresolved import UnresolvedTarget
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
    """Everything that one run of ``gblint check`` found.

    ``unresolved``: the compiled objects that were not analysed. ``missing_packages``: the packages that are not
    installed, and that analysed code calls. ``partial``: the warnings about what was analysed only in part, for formats
    that list them.
    """

    torch_version: str
    entries: list[EntryPoint] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    files: int = 0
    verification: Verification | None = None
    unresolved: list[UnresolvedTarget] = field(default_factory=list)
    missing_packages: list[MissingPackage] = field(default_factory=list)
    partial: list[FileError] = field(default_factory=list)

    @property
    def compiled(self) -> list[EntryPoint]:
        """The entry points that are not assumed."""
        return [point for point in self.entries if point.kind != "assumed"]
