"""The result of ``gblint check --why FILE:LINE``."""

from __future__ import annotations

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError
from gblint.diagnostics.span import ChainLink
from gblint.runtime.lazy_dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PathCondition:
    """A condition that control passes on its way to the line; ``outcome`` is None if it may be true or false."""

    line: int
    text: str
    outcome: bool | None


@dataclass(slots=True)
class LineExplanation:
    """The analysis of one line.

    ``reached``: whether compiled code runs the line. ``reason``: a sentence that explains why it does not.
    ``values``: the expressions of the line, each with a description of its value.
    """

    path: str
    line: int
    text: str
    function: str
    reached: bool
    reason: str = ""
    chain: tuple[ChainLink, ...] = ()
    conditions: list[PathCondition] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
