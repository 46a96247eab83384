"""The state on one path through a function, while its partition is computed."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.diagnostics.count_range import CountRange
from gblint.interp.graphs.partition import NO_GRAPHS, ONE_GRAPH, Key
from gblint.runtime.lazy_dataclasses import dataclass, field

# The operators that a graph needs for Dynamo to keep it before code that cannot be resumed (``is_non_empty_graph``).
WORTH_KEEPING = 2


@dataclass(slots=True)
class PathState:
    """The state on one path through a function.

    A segment is code that Dynamo traces into one graph.  It begins at the start of the function or after a break.

    eager: the rest of the path runs eagerly.
    graphs_run: the number of graphs that have run.
    segment_start: the line at which the current segment begins; 0 for the start of the function.
    segment_operators: the operators in the current segment, with those of inlined calls.
    graphs_if_eager: the number of graphs of the current segment if it runs eagerly, since its callees are then
        compiled on their own.
    checkpoint: the last line of the segment to which Dynamo can go back; None if there is none.
    graphs_since_checkpoint: ``graphs_if_eager`` of the code after the checkpoint.
    own_operators: the operators of the segment without those of inlined calls, each as often as it runs.
    own_operators_at_checkpoint: ``own_operators`` of the code before the checkpoint.
    cause: the break that has left the rest to Python.
    shadow: the path continues as if that break did not exist, to see the outcomes of later breaks.
    last_break_node: the expression of the last break, which runs eagerly as a whole.
    broke_at: in code that runs eagerly, the line of the break before it; 0 if there was none.
    """

    eager: bool = False
    segment_operators: int = 0
    checkpoint: int | None = None
    segment_start: int = 0
    graphs_run: CountRange = NO_GRAPHS
    graphs_if_eager: CountRange = NO_GRAPHS
    graphs_since_checkpoint: CountRange = NO_GRAPHS
    own_operators: int = 0
    own_operators_at_checkpoint: int = 0
    cause: Key | None = None
    shadow: bool = False
    last_break_node: ast.AST | None = None
    broke_at: int = 0

    def copy(self) -> PathState:
        """Return a copy."""
        return PathState(
            self.eager,
            self.segment_operators,
            self.checkpoint,
            self.segment_start,
            self.graphs_run,
            self.graphs_if_eager,
            self.graphs_since_checkpoint,
            self.own_operators,
            self.own_operators_at_checkpoint,
            self.cause,
            self.shadow,
            self.last_break_node,
            self.broke_at,
        )

    def total(self) -> CountRange:
        """Return the number of graphs of a path that ends here."""
        return self.graphs_run if self.eager or not self.segment_operators else self.graphs_run.plus(ONE_GRAPH)

    def set_checkpoint(self, line: int) -> None:
        """Note that Dynamo can go back to ``line`` from now on."""
        self.checkpoint = line
        self.graphs_since_checkpoint = NO_GRAPHS
        self.own_operators_at_checkpoint = self.own_operators

    def add_callee(self, graphs: CountRange) -> None:
        """Note that the current segment has inlined a callee, which runs ``graphs`` graphs if Python calls it."""
        self.graphs_if_eager = self.graphs_if_eager.plus(graphs)
        self.graphs_since_checkpoint = self.graphs_since_checkpoint.plus(graphs)

    def start_segment(self, line: int) -> None:
        """Begin a new segment after a break at ``line``."""
        self.segment_start, self.segment_operators = line, 0
        self.own_operators = self.own_operators_at_checkpoint = 0
        self.graphs_if_eager = self.graphs_since_checkpoint = NO_GRAPHS
        self.checkpoint = None


def merged_states(states: Iterable[PathState]) -> list[PathState]:
    """Return one state for each group of states that Dynamo would treat equally."""
    found: dict[object, PathState] = {}
    for state in states:
        key = (
            state.eager,
            min(state.segment_operators, WORTH_KEEPING),
            state.checkpoint is None,
            state.segment_start > 0,
            state.shadow,
            not state.eager or state.broke_at > 0,
        )
        old = found.get(key)
        if old is None:
            found[key] = state
            continue
        old.graphs_run = old.graphs_run.either(state.graphs_run)
        old.graphs_if_eager = old.graphs_if_eager.either(state.graphs_if_eager)
        old.graphs_since_checkpoint = old.graphs_since_checkpoint.either(state.graphs_since_checkpoint)
        old.own_operators = max(old.own_operators, state.own_operators)
        old.own_operators_at_checkpoint = max(old.own_operators_at_checkpoint, state.own_operators_at_checkpoint)
        old.last_break_node = old.last_break_node if old.last_break_node is state.last_break_node else None
    return list(found.values())


@dataclass(slots=True)
class LoopExits:
    """The paths that leave a loop early."""

    broke: list[PathState] = field(default_factory=list)
    continued: list[PathState] = field(default_factory=list)
