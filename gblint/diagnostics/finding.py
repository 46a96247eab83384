"""Findings, and their confirmation by a run."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal

from gblint.diagnostics.break_event import Category, Confidence, Consequence
from gblint.diagnostics.entry_point import OptionSource
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.reach import Reach, ReachCondition
from gblint.diagnostics.span import ChainLink, Span
from gblint.runtime.lazy_dataclasses import dataclass

Verdict = Literal["confirmed", "refuted", "masked", "not-reached", "missed"]


class Severity(Enum):
    """The effect of a finding on its region."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """The severity as a number; higher is more severe."""
        return ("info", "warning", "error").index(self.value)


@dataclass(frozen=True, slots=True)
class SeverityCause:
    """The cause of a severity: an option that makes the break an error or allows it, or the user's configuration."""

    raised_by: OptionSource | None = None
    allowed_by: OptionSource | None = None
    is_configured: bool = False


NO_CAUSE: Final = SeverityCause()


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The result of running the code of a finding.

    "confirmed": Dynamo broke the graph there, with ``gb_ids`` and ``message``.
    "refuted": the line ran in compiled code without a break.
    "masked": the line ran, but an earlier break, at ``by``, kept Dynamo from compiling it.
    "not-reached": the line did not run, or not in code to be compiled.
    "missed": a break that was not predicted.

    ``reason`` gives details; ``count`` is the number of times that Dynamo reported the break; ``remembered`` marks the
    result of an earlier run.
    """

    verdict: Verdict
    device: str
    torch_version: str
    gb_ids: tuple[str, ...] = ()
    message: str = ""
    reason: str = ""
    by: ChainLink | None = None
    count: int = 0
    remembered: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One message to the user; the fields are those of the JSON contract, except ``expression`` and ``setting``.

    ``expression`` is the source text of the offending expression.  ``reach`` says how far it is reached, ``when`` lists
    the conditions.  ``setting`` is the setting of ``torch._dynamo.config`` that removes the break.
    """

    code: str
    rule: str
    category: Category
    severity: Severity
    confidence: Confidence
    span: Span
    message: str
    help: str = ""
    gb_ids: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    chain: tuple[ChainLink, ...] = ()
    fixes: tuple[Fix, ...] = ()
    consequence: Consequence | None = None
    cost: int = 0
    severity_cause: SeverityCause = NO_CAUSE
    confirmation: Confirmation | None = None
    expression: str = ""
    reach: Reach = "always"
    when: tuple[ReachCondition, ...] = ()
    setting: str = ""

    @property
    def raised_by(self) -> OptionSource | None:
        """The option that makes the break an error."""
        return self.severity_cause.raised_by

    @property
    def allowed_by(self) -> OptionSource | None:
        """The option that allows the break."""
        return self.severity_cause.allowed_by

    @property
    def raises(self) -> bool:
        """Whether the region raises there."""
        return self.severity is Severity.ERROR and not self.severity_cause.is_configured

    @property
    def is_allowed(self) -> bool:
        """Whether it is a break that the author of the region allows."""
        is_break = self.category is Category.GRAPH_BREAK
        return is_break and self.severity is Severity.INFO and not self.severity_cause.is_configured

    @property
    def identity(self) -> tuple[str, Span, str]:
        """Its code, place and message: equal findings of several entry points are one."""
        return self.code, self.span, self.message

    @property
    def position(self) -> tuple[str, int, int, str, str]:
        """The key by which findings are sorted in files."""
        return self.span.path, self.span.line, self.span.column, self.code, self.message
