"""What an analysis says: plain frozen data that every other part passes around.

Lines and columns count from 1, as in the JSON contract; ``end_column`` is the column just after the last character.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Literal

from gblint.runtime.lazy_dataclasses import dataclass, field

EntryKind = Literal["decorator", "call", "method", "requested", "assumed"]
RegionName = Literal["default", "fullgraph", "error_on_graph_break"]
Applicability = Literal["safe", "unsafe", "display"]
Outcome = Literal["resumes", "rest-eager", "frame-eager"]
Verdict = Literal["confirmed", "refuted", "masked", "not-reached", "missed"]
Proof = Literal["holds", "differs", "breaks", "new-break", "unbroken", "masked", "not-reached", "not-run"]


class Confidence(Enum):
    """How sure a finding is; see "A finding" in the documentation."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"

    @property
    def rank(self) -> int:
        """3 for certain, 2 for likely, 1 for possible."""
        return {"certain": 3, "likely": 2, "possible": 1}[self.value]


class Severity(Enum):
    """What a finding does to the region it is in."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Category(Enum):
    """What sort of thing a finding is about."""

    GRAPH_BREAK = "graph-break"
    COMPILE_ERROR = "compile-error"
    DIVERGENCE = "divergence"
    RECOMPILE = "recompile"
    CONFIG = "config"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one source file."""

    path: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True)
class ChainLink:
    """One frame on the way from an entry point to a break: the place in it where the next frame is entered."""

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class CountRange:
    """A number that lies between two; ``high`` is None where nothing limits it."""

    low: int
    high: int | None

    def plus(self, other: CountRange) -> CountRange:
        """The sum."""
        high = None if self.high is None or other.high is None else self.high + other.high
        return CountRange(self.low + other.low, high)

    def either(self, other: CountRange) -> CountRange:
        """One or the other."""
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return CountRange(min(self.low, other.low), high)

    def by(self, other: CountRange) -> CountRange:
        """The product; nothing stays nothing however often it is taken."""
        if self.high == 0:
            return self
        high = None if self.high is None or other.high is None else self.high * other.high
        return CountRange(self.low * other.low, high)


@dataclass(frozen=True, slots=True)
class Consequence:
    """What Dynamo does after a break.

    ``frame`` is the function that suffers most: it ``resumes`` behind the break, or its rest or the whole of it runs
    eagerly, for ``reason``: "loop", "try", "with", or the kind of operation that Dynamo cannot resume from.  ``line``
    is where the rest begins.  The place runs ``repeats`` times in a call of ``entry``, None if nobody knows;
    ``layers`` is the number of modules that the loop around it goes through, if it is such a loop.
    """

    outcome: Outcome
    frame: str
    reason: str = ""
    line: int = 0
    repeats: int | None = 1
    entry: str = ""
    layers: int = 0


@dataclass(frozen=True, slots=True, order=True)
class OptionSource:
    """The line that says what a break does: ``option`` is ``fullgraph``, ``error_on_graph_break`` or ``export``."""

    path: str
    line: int
    option: str


@dataclass(frozen=True, slots=True)
class Region:
    """The options of ``torch.compile`` (and around it) that change what a break means; ``said`` is where they stand."""

    fullgraph: bool = False
    error_on_graph_break: bool | None = None
    dynamic: bool | None = None
    backend: str | None = None
    export: bool = False
    moves_logging: bool = False
    said: OptionSource | None = field(default=None, compare=False)

    @property
    def name(self) -> RegionName:
        """The region's name in the JSON contract."""
        if self.fullgraph:
            return "fullgraph"
        return "error_on_graph_break" if self.error_on_graph_break else "default"

    @property
    def raises(self) -> bool:
        """Whether a break in this region raises out of the compiled function."""
        return self.fullgraph or bool(self.error_on_graph_break)

    @property
    def allows(self) -> bool:
        """Whether the author has said that a break may happen here; under ``fullgraph`` that counts for nothing."""
        return not self.fullgraph and self.error_on_graph_break is False


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """Something that ``torch.compile`` is applied to, or is assumed to be.

    ``graphs`` is the estimated number of graphs that one call runs, None where there is no estimate.
    """

    name: str
    path: str
    line: int
    kind: EntryKind
    region: Region = field(default_factory=Region)
    graphs: CountRange | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class BreakEvent:
    """What the interpreter saw Dynamo give up on; a rule turns it into a finding.

    ``kind`` names the sort of event and ``subject`` the thing it happened to; ``rules/events.py`` lists every kind with
    its subjects.  ``operand`` is a short description of the value involved ("Tensor", "ndarray", "unknown").
    ``expression`` is the source text of the offending expression.  ``context`` has what is around the place: any of
    "loop", "try", "with", "comprehension", "guard-raise", "assert", "hop" (in a function given to ``torch.cond`` or its
    kin, where a break raises whatever the mode).
    """

    kind: str
    subject: str
    span: Span
    function: str
    gb_ids: tuple[str, ...] = ()
    confidence: Confidence = Confidence.CERTAIN
    operand: str = "Tensor"
    expression: str = ""
    context: frozenset[str] = frozenset()
    category: Category = Category.GRAPH_BREAK


@dataclass(frozen=True, slots=True)
class ReachedBreak:
    """A break event with the entry points that reach it and the shortest way from the first of them.

    ``event`` keeps the place where Dynamo gives up; ``span`` is where to report it: the same place, or, for a break
    inside a library, the user's own call that leads there.  ``chain`` starts in the entry point and ends at the event.
    ``region`` is the one in which it costs most, with what ``error_on_graph_break`` says at the place itself.
    ``consequence`` is what becomes of it in the entry point where it costs most; ``cost`` is only there to be compared.
    """

    event: BreakEvent
    span: Span
    chain: tuple[ChainLink, ...]
    entries: tuple[EntryPoint, ...]
    region: Region
    consequence: Consequence | None = None
    cost: int = 0


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of ``span`` by ``content``."""

    span: Span
    content: str


@dataclass(frozen=True, slots=True)
class FixVerdict:
    """What trying a fix has shown.

    "holds": the break is gone and the results are the same; "differs": they are not; "breaks": the line breaks still;
    "new-break": another line broke instead; "unbroken": the line ran compiled and broke nothing without the fix, too;
    "masked": whatever the fix does, something else keeps the line from being compiled; "not-reached": the line did not
    run; "not-run": the code could not be.  ``reason`` says more, ``entries`` are what was run.
    """

    verdict: Proof
    reason: str = ""
    entries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FixTiming:
    """The seconds that a compiled call of an entry point takes (median) and the graphs that are compiled for it, each
    without the fix and with it; where that could not be measured, ``error`` says why."""

    entry: str
    mode: str = ""
    backend: str = ""
    seconds: tuple[float, float] | None = None
    graphs: tuple[int, int] | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A way to get rid of a finding; a ``last_resort`` waits until nothing else is left to be changed."""

    title: str
    applicability: Applicability = "display"
    edits: tuple[Edit, ...] = ()
    verified: FixVerdict | None = None
    measured: tuple[FixTiming, ...] = ()
    last_resort: bool = False


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What a run says of a finding.

    "confirmed": Dynamo broke the graph there, with ``gb_ids`` and ``message``; "refuted": the line ran in compiled code
    and broke nothing; "masked": it ran, but an earlier break, at ``by``, kept Dynamo from compiling it; "not-reached":
    it did not run, or not in code that was to be compiled.  "missed" is a break that was not predicted.  ``reason``
    says more; ``count`` is how often Dynamo reported the break; ``remembered`` is true for what an earlier run said.
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
    """One thing to tell the user; the fields are those of the JSON contract.

    ``raised_by`` is the line that makes an error of the break, ``allowed_by`` the one that allows it.
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
    raised_by: OptionSource | None = None
    allowed_by: OptionSource | None = None
    confirmation: Confirmation | None = None


@dataclass(frozen=True, slots=True)
class FileError:
    """A file that could not be read or parsed, or something asked for that does not exist."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class TriedFix:
    """A fix that was put to the test; ``line`` is the one that the file had before anything was fixed."""

    path: str
    line: int
    code: str
    fix: Fix


@dataclass(frozen=True, slots=True)
class Latency:
    """The seconds that a compiled call takes (median), by this backend, without the fixes and with them."""

    mode: str
    backend: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class TriedEntry:
    """An entry point that fixes were tried on; where it could not be run, ``reason`` says why.

    ``breaks`` and ``graphs`` are the places that break and the graphs of a first call, without the fixes and with them.
    """

    name: str
    reason: str = ""
    breaks: tuple[int, int] | None = None
    graphs: tuple[int, int] | None = None
    latencies: tuple[Latency, ...] = ()


@dataclass(frozen=True, slots=True)
class Verification:
    """What trying the fixes has shown; ``runs`` is the number of runs with fixes."""

    device: str
    torch_version: str
    entries: tuple[TriedEntry, ...] = ()
    fixes: tuple[TriedFix, ...] = ()
    runs: int = 0


@dataclass(slots=True)
class Report:
    """Everything one run of ``gblint check`` found."""

    torch_version: str
    entries: list[EntryPoint] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    files: int = 0
    verification: Verification | None = None


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line of a file, as asked for."""

    path: Path
    line: int

    @classmethod
    def of(cls, text: str) -> FileLine:
        """Read ``FILE:LINE``; raises ValueError."""
        path, colon, line = text.rpartition(":")
        if not colon or not path or not line.isdecimal() or int(line) < 1:
            raise ValueError(f"FILE:LINE is expected, not {text!r}")
        return cls(Path(path), int(line))


@dataclass(frozen=True, slots=True)
class PathCondition:
    """A condition on the way to the line: ``outcome`` is None where it may be true or false."""

    line: int
    text: str
    outcome: bool | None


@dataclass(slots=True)
class LineExplanation:
    """The answer.  ``reached`` is true if compiled code runs the line; ``reason`` says why not, in a sentence.

    ``values`` are pairs of an expression of the line and what it is, in words.
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
