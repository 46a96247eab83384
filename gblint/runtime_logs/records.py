"""What a log tells of, one record at a time: plain data that every reader gives and the tally counts."""

from __future__ import annotations

from dataclasses import dataclass

from gblint.diagnostics.break_event import Outcome
from gblint.diagnostics.span import ChainLink


@dataclass(frozen=True, slots=True)
class LogFrame:
    """A line of a stack as it was logged; ``code`` is its text."""

    path: str
    line: int
    function: str = ""
    code: str = ""

    @property
    def link(self) -> ChainLink:
        """Without the text."""
        return ChainLink(self.path, self.line, self.function)


@dataclass(frozen=True, slots=True)
class LoggedBreak:
    """One report of a graph break.

    ``stack`` is the user's, outermost first; empty where the log leaves it out (a repeated break), so that ``place`` is
    all that is known.  ``follows`` are ids that only follow from the break itself.  ``frame`` is the function that
    Dynamo was compiling, where the log says so.  ``echo`` marks what is often a second mention of a break: a warning
    about ``Tensor.item()``, the reason for compiling a graph, the error that goes with a skipped frame.
    """

    place: LogFrame
    stack: tuple[LogFrame, ...] = ()
    title: str = ""
    gb_ids: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    outcome: Outcome = "resumes"
    raises: bool = False
    frame: str = ""
    compile_id: str = ""
    echo: bool = False


@dataclass(frozen=True, slots=True)
class LoggedRecompile:
    """A function that was compiled again, and the guard that failed (of the version that was made last)."""

    function: LogFrame
    guard: str
    place: LogFrame | None = None
    compile_id: str = ""


@dataclass(frozen=True, slots=True)
class RecompileLimitHit:
    """A function that was compiled so often that it runs eagerly from then on."""

    function: LogFrame
    limit: int
    guard: str = ""
    compile_id: str = ""


@dataclass(frozen=True, slots=True)
class LoggedCompilation:
    """A frame that Dynamo compiled, or tried to: how long that took and how many operations its graphs have."""

    function: LogFrame
    seconds: float
    operations: int = 0
    compile_id: str = ""


@dataclass(frozen=True, slots=True)
class LoggedVersion:
    """The torch that wrote the log."""

    torch: str


Record = LoggedBreak | LoggedRecompile | RecompileLimitHit | LoggedCompilation | LoggedVersion


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A record and who told it: the rank, None if there is no saying, and the process or thread."""

    record: Record
    rank: int | None = None
    stream: str = ""


class LogProblem(Exception):
    """What was given is no log that can be read; the text is one line."""
