"""Plans: the partition of one function, and the state on a path through it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.diagnostics.break_event import Outcome
from gblint.diagnostics.count_range import CountRange
from gblint.runtime.lazy_dataclasses import dataclass, field

# The operators that a graph needs for Dynamo to keep it before code that cannot be resumed (``is_non_empty_graph``).
WORTH_KEEPING = 2
NONE = CountRange(0, 0)
ONE = CountRange(1, 1)
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """The consequence of a break for a frame: it runs eagerly from ``line`` on (0: from its start), for ``reason``."""

    outcome: Outcome
    reason: str = ""
    line: int = 0

    @property
    def rank(self) -> int:
        """The severity of the consequence; higher is worse."""
        return ("resumes", "rest-eager", "frame-eager").index(self.outcome)


@dataclass(slots=True)
class Plan:
    """The partition of a function that is compiled on its own.

    Keys are breaks (their place) and calls (line and identity of the callee).

    times: how often each runs; None in a loop of unknown length.
    layers: the modules over which the loop around it iterates.
    lost: the number of operators that run eagerly because of it.
    """

    graphs: CountRange = NONE
    decisions: dict[Key, Decision] = field(default_factory=dict)
    times: dict[Key, int | None] = field(default_factory=dict)
    layers: dict[Key, int] = field(default_factory=dict)
    lost: dict[Key, int] = field(default_factory=dict)


@dataclass(slots=True)
class PathState:
    """The state on one path through a function.

    done: the number of graphs that have run.
    size: the operators in the current segment, which begins at ``start``; ``whole`` is its number of graphs if it runs
        eagerly.
    since: that number since ``checkpoint``, the last line to which Dynamo can go back.
    work: the operators of this function itself.
    cause: the break that has left the rest to Python.
    shadow: the path continues as if that break did not exist, to see the consequences of later breaks.
    at: the expression of the last break, which runs eagerly as a whole.
    """

    eager: bool = False
    size: int = 0
    checkpoint: int | None = None
    start: int = 0
    done: CountRange = NONE
    whole: CountRange = NONE
    since: CountRange = NONE
    work: int = 0
    work_at: int = 0
    cause: Key | None = None
    shadow: bool = False
    at: ast.AST | None = None

    def copy(self) -> PathState:
        """Return a copy."""
        return PathState(
            self.eager,
            self.size,
            self.checkpoint,
            self.start,
            self.done,
            self.whole,
            self.since,
            self.work,
            self.work_at,
            self.cause,
            self.shadow,
            self.at,
        )

    def total(self) -> CountRange:
        """Return the number of graphs of a path that ends here."""
        return self.done if self.eager or not self.size else self.done.plus(ONE)


def merged_states(states: Iterable[PathState]) -> list[PathState]:
    """Return one state for each group of states that Dynamo would treat equally."""
    found: dict[object, PathState] = {}
    for state in states:
        key = (state.eager, min(state.size, WORTH_KEEPING), state.checkpoint is None, state.start > 0, state.shadow)
        old = found.get(key)
        if old is None:
            found[key] = state
            continue
        old.done, old.whole, old.since = (
            old.done.either(state.done),
            old.whole.either(state.whole),
            old.since.either(state.since),
        )
        old.work, old.work_at = max(old.work, state.work), max(old.work_at, state.work_at)
        old.at = old.at if old.at is state.at else None
    return list(found.values())


@dataclass(slots=True)
class LoopExits:
    """The paths that leave a loop early."""

    broke: list[PathState] = field(default_factory=list)
    continued: list[PathState] = field(default_factory=list)
