"""What to run, and what came of it: plain data that travels between processes and machines as JSON."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from gblint.diagnostics.span import ChainLink

T = TypeVar("T")

TargetKind = Literal["script", "module", "entry", "pytest"]
BreakOutcome = Literal["resumes", "rest-eager", "frame-eager", "raises"]
OUTCOMES: tuple[BreakOutcome, ...] = ("resumes", "rest-eager", "frame-eager", "raises")
# "ok": it ran to its end; for a script that is also one that left with an exit status of its own.
Status = Literal["ok", "error", "timeout", "memory", "crash", "missing", "no-inputs", "cancelled"]
DEFAULT_SECONDS = 600.0
DEFAULT_PROCESSES = 1024


@dataclass(frozen=True, slots=True)
class Target:
    """What to run: a script by its path, a module as with ``python -m``, an entry point ``pkg.mod:Name``, or pytest.

    ``args`` are the arguments of a script, a module or pytest.  ``init`` makes the object of an entry point, ``inputs``
    its arguments, both Python expressions; ``inputs_from`` names a function that returns the arguments.
    """

    kind: TargetKind
    name: str = ""
    args: tuple[str, ...] = ()
    init: str | None = None
    inputs: str | None = None
    inputs_from: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a run is ended: wall time in seconds, memory of all its processes in bytes (None: nine tenths of what is
    free when it starts), and the number of processes."""

    seconds: float = DEFAULT_SECONDS
    memory: int | None = None
    processes: int = DEFAULT_PROCESSES


@dataclass(frozen=True, slots=True)
class ComparisonStep:
    """A run that is to be compared with another one: the ``first`` leaves what came out of it in ``folder`` as
    ``name``.  With ``exact`` eager results have to be the same to the last bit, else within a tolerance."""

    folder: str
    name: str
    first: bool = False
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Difference:
    """What is not as it was before: in which mode, with which arguments, and ``how`` it ran: "eager" or "compiled"."""

    mode: str
    variant: str
    how: str
    what: str

    def __str__(self) -> str:
        mode = f", {self.mode} mode" if self.mode else ""
        return f"{self.what} ({self.how}{mode}, {self.variant})"


@dataclass(frozen=True, slots=True)
class Job:
    """One run in a worker process.

    ``root`` is the working directory, which relative paths count from; ``paths`` go on ``sys.path``; ``watch`` are the
    files whose lines are followed.  ``backend``, None for the usual one (``eager`` for an entry point, what it says
    itself for a script); ``fullgraph`` says that the region captures what ``fullgraph=True`` captures.  ``modes`` of
    "eval" and "train" are for modules.  ``measure`` asks for the time of a call with and without compilation, by the
    ``backend`` or else the one that ``torch.compile`` uses.  ``python`` is the interpreter, gblint's own if empty.
    ``overlays`` are files, by their full path, that are imported with another text than they have.  ``trial`` is for
    entry points only.
    """

    id: str
    target: Target
    root: str
    paths: tuple[str, ...] = ()
    watch: tuple[str, ...] = ()
    limits: Limits = Limits()
    device: str = "auto"
    backend: str | None = None
    dynamic: bool | None = None
    fullgraph: bool = False
    modes: tuple[str, ...] = ("eval", "train")
    python: str = ""
    hints: Mapping[str, Any] | None = None
    measure: bool = False
    overlays: Mapping[str, str] = field(default_factory=dict)
    trial: ComparisonStep | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Job:
        """The reverse of ``as_json``; raises ValueError for what is no job."""
        return decode(cls, data)


@dataclass(frozen=True, slots=True)
class ObservedBreak:
    """A break that Dynamo reported.

    ``stack`` is the user's stack from the frame that was being compiled to the break, outermost first; ``above`` is
    what called that frame.  ``frame`` is where that frame's code begins: for a resume function, the function that it is
    the rest of, at the line where it goes on.  ``count`` is how often Dynamo reported it, ``primary`` is false for what
    only follows from another break, ``during`` is the pass ("eval", "train") or the test that it happened in.
    """

    stack: tuple[ChainLink, ...]
    gb_ids: tuple[str, ...]
    message: str
    frame: ChainLink
    outcome: BreakOutcome = "resumes"
    above: tuple[ChainLink, ...] = ()
    count: int = 1
    primary: bool = True
    during: str = ""

    @property
    def place(self) -> ChainLink:
        """The innermost place."""
        return self.stack[-1] if self.stack else self.frame

    @property
    def key(self) -> object:
        """What tells one break from another, however often it is reported."""
        return self.stack, self.gb_ids, self.frame, self.primary, self.during

    @property
    def title(self) -> str:
        """What it is called: the first line of the message."""
        return self.message.strip().partition("\n")[0]


@dataclass(frozen=True, slots=True)
class CompiledGraph:
    """A graph that was compiled: the frame it is from, its number of operations, the seconds the backend took."""

    frame: ChainLink
    operations: int
    seconds: float = 0.0
    during: str = ""


@dataclass(frozen=True, slots=True)
class Recompile:
    """A frame that was compiled again, and the guard that failed."""

    frame: ChainLink
    reason: str
    during: str = ""


@dataclass(frozen=True, slots=True)
class SkippedFrame:
    """A frame that Dynamo was given and did not compile, without a break, and its reason."""

    frame: ChainLink
    reason: str


@dataclass(frozen=True, slots=True)
class ModeRun:
    """One way in which a target was called: eagerly first, then compiled; times in seconds."""

    name: str
    eager: float | None = None
    compiled: float | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class TimeQuartiles:
    """The time of a call in seconds: the median of ``calls`` calls, and the quartiles."""

    median: float
    low: float
    high: float
    calls: int


@dataclass(frozen=True, slots=True)
class CallTiming:
    """What compilation brings and costs in one pass, in seconds.

    ``first`` is the first compiled call, which compiles.  ``graphs`` is the number of graphs that were compiled for it.
    Where it could not be measured, ``error`` says why.
    """

    name: str = ""
    backend: str = ""
    eager: TimeQuartiles | None = None
    compiled: TimeQuartiles | None = None
    first: float | None = None
    graphs: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Platform:
    """Where it ran."""

    torch: str = ""
    python: str = ""
    device: str = ""
    system: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a job.

    ``reason`` is a sentence that says what went wrong, empty for "ok".  ``ran`` has the lines of the watched files that
    ran at all, ``compiled`` those that ran in compiled code, as ranges ("3-5"); paths below the job's root are relative
    to it.  ``init`` and ``inputs`` are the expressions that the target was called with, ``stub`` the text of a
    file to fill in where none could be made.  ``differences`` are those of a trial from the first run of it.
    ``output`` is the end of what the run printed.
    """

    job: str
    status: Status
    reason: str = ""
    exit_status: int | None = None
    seconds: float = 0.0
    platform: Platform = Platform()
    passes: tuple[ModeRun, ...] = ()
    breaks: tuple[ObservedBreak, ...] = ()
    graphs: tuple[CompiledGraph, ...] = ()
    recompiles: tuple[Recompile, ...] = ()
    skipped: tuple[SkippedFrame, ...] = ()
    compiled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ran: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    compile_s: float = 0.0
    frames: int = 0
    timings: tuple[CallTiming, ...] = ()
    differences: tuple[Difference, ...] = ()
    init: str = ""
    inputs: str = ""
    stub: str = ""
    output: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Result:
        """The reverse of ``as_json``; raises ValueError for what is no result."""
        return decode(cls, data)


def with_outcome_at_least(found: ObservedBreak, outcome: BreakOutcome) -> ObservedBreak:
    """A break that has this outcome, unless it already had a worse one."""
    return dataclasses.replace(found, outcome=max(found.outcome, outcome, key=OUTCOMES.index))


def to_ranges(lines: Iterable[int]) -> tuple[str, ...]:
    """Line numbers as ranges: ``3-5`` or ``7``."""
    found: list[list[int]] = []
    for line in sorted(set(lines)):
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return tuple(str(first) if first == last else f"{first}-{last}" for first, last in found)


def from_ranges(spans: Iterable[str]) -> set[int]:
    """The line numbers in ranges."""
    found: set[int] = set()
    for span in spans:
        first, _, last = span.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def decode(kind: type[T], data: object) -> T:
    """An object of ``kind`` from plain data; fields that are not known are passed over.  Raises ValueError."""
    try:
        return typing.cast(T, _decode(kind, data))
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"no {kind.__name__}: {error}") from None


def _decode(kind: Any, data: Any) -> Any:
    if kind is Any:
        return data
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        known = {each.name for each in dataclasses.fields(kind)}
        make: Any = kind
        return make(**{name: _decode(hints[name], value) for name, value in data.items() if name in known})
    if origin is tuple:
        if isinstance(data, str):
            raise TypeError("a list is expected, not a string")
        return tuple(_decode(arguments[0], each) for each in data)
    if origin in (typing.Union, types.UnionType):
        inner = [each for each in arguments if each is not type(None)]
        return None if data is None else _decode(inner[0], data)
    if origin is Literal:
        if data not in arguments:
            raise TypeError(f"{data!r} is none of {', '.join(arguments)}")
        return data
    if origin is not None and issubclass(origin, Mapping):
        return {key: _decode(arguments[1], value) for key, value in data.items()}
    if kind is float and isinstance(data, int):
        return float(data)
    if isinstance(kind, type) and kind is not object and not isinstance(data, kind):
        raise TypeError(f"{kind.__name__} is expected, not {data!r}")
    return data
