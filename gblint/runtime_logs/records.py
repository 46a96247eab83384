"""Records of logs: plain data that all readers yield and the counters count."""

from __future__ import annotations

from dataclasses import dataclass

from gblint.diagnostics.break_event import Outcome
from gblint.diagnostics.span import ChainLink


@dataclass(frozen=True, slots=True)
class LogFrame:
    """A stack entry as it was logged; ``code`` is the text of its line."""

    path: str
    line: int
    function: str = ""
    code: str = ""

    @property
    def link(self) -> ChainLink:
        """The entry without the text."""
        return ChainLink(self.path, self.line, self.function)


@dataclass(frozen=True, slots=True)
class LoggedBreak:
    """One report of a graph break.

    - ``place``: the break's own place. ``stack``: user stack, outermost first; empty if the log leaves it out (repeated
      breaks).
    - ``gb_ids``: ids of the break. ``consequence_ids``: ids that only follow from it.
    - ``frame``: function that Dynamo was compiling, if known.
    - ``secondary``: the record often repeats a break that is reported elsewhere: a warning about ``Tensor.item()``, the
      reason for compiling a graph, the error of a skipped frame.
    """

    place: LogFrame
    stack: tuple[LogFrame, ...] = ()
    title: str = ""
    gb_ids: tuple[str, ...] = ()
    consequence_ids: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    outcome: Outcome = "resumes"
    raises: bool = False
    frame: str = ""
    compile_id: str = ""
    secondary: bool = False


@dataclass(frozen=True, slots=True)
class LoggedRecompile:
    """A function that was compiled again, and the guard of the most recent version that failed."""

    function: LogFrame
    guard: str
    place: LogFrame | None = None
    compile_id: str = ""


@dataclass(frozen=True, slots=True)
class RecompileLimitHit:
    """A function that reached the recompile limit and runs eagerly from then on."""

    function: LogFrame
    limit: int
    guard: str = ""
    compile_id: str = ""


@dataclass(frozen=True, slots=True)
class LoggedCompilation:
    """A frame that Dynamo compiled or tried to compile: its time, and the number of operations in its graphs."""

    function: LogFrame
    seconds: float
    operations: int = 0
    compile_id: str = ""


@dataclass(frozen=True, slots=True)
class LoggedVersion:
    """Version of the torch that wrote the log."""

    torch: str


Record = LoggedBreak | LoggedRecompile | RecompileLimitHit | LoggedCompilation | LoggedVersion


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A record with its source: the rank (None if unknown) and the process or thread."""

    record: Record
    rank: int | None = None
    stream: str = ""


class LogProblem(Exception):
    """Raised if the input is not a readable log; the text is one line."""
