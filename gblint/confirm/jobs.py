"""Jobs and their results: plain data, passed between processes and machines as JSON.

Field names are JSON keys and stay as they are. Unknown keys are ignored when data is read.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from gblint.diagnostics.span import ChainLink

T = TypeVar("T")

TargetKind = Literal["script", "module", "entry", "pytest"]
BreakOutcome = Literal["resumes", "rest-eager", "frame-eager", "raises"]
OUTCOMES: tuple[BreakOutcome, ...] = ("resumes", "rest-eager", "frame-eager", "raises")
# "ok": the run finished; a script that exits with a status of its own counts as finished.
Status = Literal["ok", "error", "timeout", "memory", "crash", "missing", "no-inputs", "cancelled"]
DEFAULT_SECONDS = 600.0
DEFAULT_PROCESSES = 1024


@dataclass(frozen=True, slots=True)
class Target:
    """The code to run: a script by its path, a module as with ``python -m``, an entry point ``pkg.mod:Name``, or
    pytest.

    - ``args``: arguments of a script, a module or pytest.
    - ``init``: Python expression that creates the object of an entry point.
    - ``inputs``: Python expression for the arguments of an entry point.
    - ``inputs_from``: name of a function that returns the arguments.
    """

    kind: TargetKind
    name: str = ""
    args: tuple[str, ...] = ()
    init: str | None = None
    inputs: str | None = None
    inputs_from: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run: wall time in seconds, memory of all its processes in bytes (None: nine tenths of the memory that
    is free when it starts), and number of processes.
    """

    seconds: float = DEFAULT_SECONDS
    memory: int | None = None
    processes: int = DEFAULT_PROCESSES


@dataclass(frozen=True, slots=True)
class ComparisonStep:
    """One of two runs that are compared, before and after fixes.

    The ``first`` run stores the snapshots of its calls in ``folder`` under ``name``; the second run compares with them.
    With ``exact`` eager results must be equal to the last bit, otherwise within a tolerance. With ``quiet`` warnings,
    log records and error output of compiled calls are not compared.
    """

    folder: str
    name: str
    first: bool = False
    exact: bool = True
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two compared runs.

    - ``mode``: "eval", "train" or "" for a function.
    - ``variant``: name of the variant of the arguments.
    - ``how``: "eager" or "compiled".
    - ``what``: description of the difference.
    """

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

    - ``root``: working directory; relative paths start there.
    - ``paths``: entries added to ``sys.path``.
    - ``watch``: files whose executed lines are recorded; folders end in a separator.
    - ``backend``: backend of ``torch.compile``; None for ``eager`` with an entry point, and for the script's own
      choice.
    - ``fullgraph``: capture scalar outputs and dynamic output shapes, as ``fullgraph=True`` does.
    - ``modes``: "eval" and "train", for modules only.
    - ``python``: the interpreter to use; empty for the one that runs gblint.
    - ``hints``: facts from the sources about how to call an entry point.
    - ``measure``: time calls with and without compilation, by ``backend`` or else the default backend.
    - ``overlays``: text to import in place of a file's own, by full path.
    - ``trial``: for an entry point whose runs before and after fixes are compared.
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
        """Return the job as plain data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Job:
        """Read a job from plain data; raises ValueError for data that is not a job."""
        return decode(cls, data)


@dataclass(frozen=True, slots=True)
class ObservedBreak:
    """A graph break reported by Dynamo.

    - ``stack``: user stack from the compiled frame to the break, outermost first.
    - ``above``: callers of the compiled frame.
    - ``frame``: first line of the compiled frame; for a resume function, the original function at the line where it
      resumes.
    - ``count``: number of reports.
    - ``primary``: false for a break that only follows from another one.
    - ``during``: mode ("eval", "train") or test in which it happened.
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
        """The innermost stack entry."""
        return self.stack[-1] if self.stack else self.frame

    @property
    def key(self) -> object:
        """Identity of a break: equal for repeated reports of the same break."""
        return self.stack, self.gb_ids, self.frame, self.primary, self.during

    @property
    def title(self) -> str:
        """First line of the message."""
        return self.message.strip().partition("\n")[0]


@dataclass(frozen=True, slots=True)
class CompiledGraph:
    """A compiled graph: its frame, number of operations, and seconds spent in the backend."""

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
    """A frame that Dynamo skipped without reporting a break, and the reason."""

    frame: ChainLink
    reason: str


@dataclass(frozen=True, slots=True)
class ModeRun:
    """The calls of a target in one mode, first eager and then compiled; times in seconds.

    ``inputs`` names the arguments with which runs before and after fixes are compared.
    """

    name: str
    eager: float | None = None
    compiled: float | None = None
    error: str = ""
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeQuartiles:
    """Time of a call in seconds: median and quartiles of ``calls`` calls."""

    median: float
    low: float
    high: float
    calls: int


@dataclass(frozen=True, slots=True)
class CallTiming:
    """Call times in one mode, in seconds, with and without compilation.

    ``first`` is the first compiled call, which includes compilation. ``graphs`` is the number of compiled graphs.
    ``error`` is the reason if the call could not be timed.
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
    """Versions, device and operating system of a run."""

    torch: str = ""
    python: str = ""
    device: str = ""
    system: str = ""


@dataclass(frozen=True, slots=True)
class CallExpressions:
    """Expressions of an entry point's call; ``stub`` is the text of a file to fill in if no inputs were found."""

    init: str = ""
    inputs: str = ""
    stub: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a job.

    - ``reason``: the error as a sentence; empty for "ok".
    - ``ran``: lines of the watched files that ran, as ranges ("3-5") by path; paths below the job's root are relative
      to it.
    - ``compiled``: the lines that ran in compiled code, in the same form.
    - ``frames``: number of compiled frames.
    - ``differences``: differences from the first of two compared runs.
    - ``call``: expressions that the target was called with; its fields are keys of the result's own JSON object.
    - ``output``: last part of the run's output.
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
    call: CallExpressions = CallExpressions()
    output: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain data."""
        data: dict[str, Any] = {}
        for key, value in dataclasses.asdict(self).items():
            data.update(value if key == "call" else {key: value})
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Result:
        """Read a result from plain data; raises ValueError for data that is not a result."""
        if not isinstance(data, Mapping):
            raise ValueError("no Result: not a JSON object")
        return decode(cls, {**data, "call": data})


def with_outcome_at_least(observed: ObservedBreak, outcome: BreakOutcome) -> ObservedBreak:
    """Return the break with this outcome, unless its outcome is worse already."""
    return dataclasses.replace(observed, outcome=max(observed.outcome, outcome, key=OUTCOMES.index))


def decode(kind: type[T], data: object) -> T:
    """Make an object of the class ``kind`` from plain data; unknown keys are ignored. Raises ValueError."""
    try:
        return typing.cast(T, _decode(kind, data))
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"no {kind.__name__}: {error}") from None


def _decode(kind: Any, data: Any) -> Any:
    """Convert plain data to a type; raises TypeError, KeyError or AttributeError."""
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
            raise TypeError(f"{data!r} is not one of {', '.join(arguments)}")
        return data
    if origin is not None and issubclass(origin, Mapping):
        return {key: _decode(arguments[1], value) for key, value in data.items()}
    if kind is float and isinstance(data, int):
        return float(data)
    if isinstance(kind, type) and kind is not object and not isinstance(data, kind):
        raise TypeError(f"{kind.__name__} is expected, not {data!r}")
    return data
