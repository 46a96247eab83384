"""The partition of one function into graphs, and what each of its breaks means for the frame."""

from __future__ import annotations

from gblint.diagnostics.break_event import Outcome
from gblint.diagnostics.count_range import CountRange
from gblint.runtime.lazy_dataclasses import dataclass, field

NO_GRAPHS = CountRange(0, 0)
ONE_GRAPH = CountRange(1, 1)
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class FrameOutcome:
    """The outcome of a break for one frame.

    kind: Dynamo resumes the frame after the break, or the rest of the frame runs eagerly, or all of it.
    reason: why Dynamo cannot resume: "loop", "try", "with", or the kind of operation; empty if it resumes.
    line: the line from which on the frame runs eagerly; 0 for all of it, and if Dynamo resumes.
    """

    kind: Outcome
    reason: str = ""
    line: int = 0

    @property
    def rank(self) -> int:
        """The severity of the outcome; higher is worse."""
        return ("resumes", "rest-eager", "frame-eager").index(self.kind)


@dataclass(slots=True)
class Partition:
    """The partition of a function that is compiled on its own.

    Keys are breaks (their place) and calls (line and identity of the callee).

    graphs: the number of graphs that one call of the function runs.
    outcomes: the outcome of each break and of each call that breaks.
    times: how often each runs; None in a loop of unknown length.
    layers: the number of modules over which the loop around it iterates.
    lost: the number of operators that run eagerly because of it.
    eager_calls: the calls in code that runs eagerly.
    hidden: what Dynamo does not come to, since it has left that code to Python, and the line of the break before it.
    """

    graphs: CountRange = NO_GRAPHS
    outcomes: dict[Key, FrameOutcome] = field(default_factory=dict)
    times: dict[Key, int | None] = field(default_factory=dict)
    layers: dict[Key, int] = field(default_factory=dict)
    lost: dict[Key, int] = field(default_factory=dict)
    eager_calls: set[Key] = field(default_factory=set)
    hidden: dict[Key, int] = field(default_factory=dict)
