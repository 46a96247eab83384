"""Fixes of findings, and the results of running them."""

from __future__ import annotations

from typing import Literal

from gblint.diagnostics.span import Span
from gblint.runtime.lazy_dataclasses import dataclass

Applicability = Literal["safe", "unsafe", "display"]
FixVerdictKind = Literal["holds", "differs", "breaks", "new-break", "unbroken", "masked", "not-reached", "not-run"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of ``span`` by ``content``."""

    span: Span
    content: str


@dataclass(frozen=True, slots=True)
class FixVerdict:
    """The result of running code with a fix.

    "holds": the break is gone and the results are the same.
    "differs": the break is gone and the results differ.
    "breaks": the line still breaks the graph.
    "new-break": another line breaks the graph instead.
    "unbroken": the line is compiled without a break before the fix, too.
    "masked": something else keeps the line from being compiled, with and without the fix.
    "not-reached": the line does not run.
    "not-run": the code cannot be run.

    ``reason`` gives details, ``entries`` the entry points that were run.
    """

    kind: FixVerdictKind
    reason: str = ""
    entries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FixTiming:
    """Measurements of an entry point without a fix and with it.

    ``seconds``: the median time of a compiled call.
    ``graphs``: the number of graphs compiled for it.
    ``error``: the reason why there are no measurements.
    """

    entry: str
    mode: str = ""
    backend: str = ""
    seconds: tuple[float, float] | None = None
    graphs: tuple[int, int] | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that removes a finding.

    ``verdict``: the result of running the code with it; None if it was not run.
    ``last_resort``: it is only applied when no other fix is left.
    ``quiet``: compiled runs lose warnings or log records, as the title says.
    """

    title: str
    applicability: Applicability = "display"
    edits: tuple[Edit, ...] = ()
    verdict: FixVerdict | None = None
    measured: tuple[FixTiming, ...] = ()
    last_resort: bool = False
    quiet: bool = False
