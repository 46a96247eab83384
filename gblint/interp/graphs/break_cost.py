"""The cost of the breaks of an entry point: which frames they affect, how often, and how many operators run eagerly."""

from __future__ import annotations

from typing import Protocol

from gblint.diagnostics.break_event import Consequence
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.span import ChainLink, Span
from gblint.interp.graphs.inline_outcomes import is_compiled
from gblint.interp.graphs.partition import NO_GRAPHS, ONE_GRAPH, FrameOutcome, Key
from gblint.interp.graphs.partitioner import UNKNOWN_TIMES, Partitioner
from gblint.interp.state.trace_ir import FunctionSummary, Place
from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trail:
    """The calls that lead to a break: the worst consequence for one of their functions, and the eager operators.

    most: the operators of that function.
    """

    worst: FrameOutcome | None = None
    frame: str = ""
    lost: int = 0
    most: int = 0
    layers: int = 0


class CostTarget(Protocol):
    """An object that receives the consequence of a break."""

    consequence: Consequence | None
    cost: int
    behind: ChainLink | None


@dataclass(frozen=True, slots=True)
class _Hit:
    """The consequence of a break so far; one function may be evaluated for several kinds of arguments."""

    target: CostTarget
    end: Trail
    repeats: int | None


class Impact:
    """The breaks of one entry point; ``root`` is the summary of its call."""

    def __init__(self, partitioner: Partitioner, root: FunctionSummary, name: str) -> None:
        self.partitioner = partitioner
        self.root = root
        self.name = name
        self.runs: dict[int, int | None] = {}
        self.graphs: CountRange | None = None
        self._hits: dict[int, _Hit] = {}
        self._added: set[tuple[int, int, Place]] = set()
        try:
            self._count_graphs()
        except RecursionError:
            self.runs = {}

    def _count_graphs(self) -> None:
        found = [self.partitioner.inline_outcomes.of_function(callee) for _, callee in self.root.calls.values()]
        if any(f.breaks or f.possibly for f in found):
            self.graphs = self.partitioner.partition(self.root, eager=True).graphs
            self._count_runs()
        else:
            operators = self.partitioner.inline_outcomes.of_function(self.root).operators
            self.graphs = ONE_GRAPH if operators else NO_GRAPHS

    def _count_runs(self) -> None:
        """Count how often each function runs in a call of the entry point."""
        self.runs[id(self.root)] = 1
        for summary in self._callers_first():
            runs = self.runs.get(id(summary))
            times = self.partitioner.partition(summary, eager=summary is self.root).times
            for span, callee in self._calls(summary):
                here = times.get((span.line, id(callee)), 1)
                old = self.runs.get(id(callee), 0)
                self.runs[id(callee)] = None if None in (runs, here, old) else old + runs * here  # type: ignore[operator]

    def _callers_first(self) -> list[FunctionSummary]:
        """Return the functions with breaks, each after all its callers, apart from recursive calls."""
        order: list[FunctionSummary] = []
        seen = {id(self.root)}
        stack = [(self.root, iter(self._calls(self.root)))]
        while stack:
            summary, rest = stack[-1]
            for _, callee in rest:
                if id(callee) not in seen:
                    seen.add(id(callee))
                    stack.append((callee, iter(self._calls(callee))))
                    break
            else:
                order.append(summary)
                stack.pop()
        return order[::-1]

    def _calls(self, summary: FunctionSummary) -> list[tuple[Span, FunctionSummary]]:
        return [(span, callee) for span, callee in summary.calls.values() if self._matters(callee)]

    def _matters(self, summary: FunctionSummary) -> bool:
        found = self.partitioner.inline_outcomes.of_function(summary)
        return found.breaks or found.possibly

    def in_order(self, summary: FunctionSummary) -> list[tuple[Span, FunctionSummary]]:
        """Return the calls of a function in order; calls that only an earlier pass over a loop has seen come last."""
        calls = [*summary.calls.values()]
        if not self.runs or len(calls) < 2 or not self._matters(summary):
            return calls
        times = self.partitioner.partition(summary, eager=summary is self.root).times
        return sorted(calls, key=lambda call: (call[0].line, id(call[1])) not in times)

    def is_eager(self, summary: FunctionSummary, line: int, callee: FunctionSummary) -> bool:
        """Return whether Python calls ``callee`` at ``line`` of ``summary``, which runs eagerly there."""
        if summary is self.root or not self.runs or not self._matters(summary):
            return False
        return (line, id(callee)) in self.partitioner.partition(summary).eager_calls

    def break_before(self, summary: FunctionSummary, place: Key, *, by_python: bool) -> ChainLink | None:
        """Return the earlier break after which Dynamo leaves ``place`` to Python; None if it comes to the place.

        by_python: the function is called by code that runs eagerly. Dynamo does not compile it if it has no tensors,
            or is a generator; then the line is 0.
        """
        if summary is self.root or summary.module is None or not self.runs or not self._matters(summary):
            return None
        if by_python and summary.break_by_python is None and not is_compiled(summary):
            line: int | None = 0
        else:
            line = self.partitioner.partition(summary).hidden.get(place)
        return None if line is None else ChainLink(summary.module.display, line, summary.function)

    def through(self, trail: Trail, summary: FunctionSummary, line: int, callee: FunctionSummary) -> Trail:
        """Return the trail after the call of ``callee`` at ``line`` of ``summary``."""
        if summary is self.root or not self.runs or not self._matters(callee):
            return trail
        return self._after(trail, summary, (line, id(callee)))

    def _after(self, trail: Trail, summary: FunctionSummary, key: Key) -> Trail:
        partition = self.partitioner.partition(summary)
        outcome = partition.outcomes.get(key)
        if outcome is None:
            return trail
        here = partition.lost.get(key, 0) * _estimated(self.runs.get(id(summary), 1))
        layers = partition.layers.get(key, trail.layers)
        # Of functions with the same consequence the one that loses the most operators counts, not its wrapper.
        if trail.worst is None or (outcome.rank, here) > (trail.worst.rank, trail.most):
            return Trail(outcome, summary.function, trail.lost + here, here, layers)
        return Trail(trail.worst, trail.frame, trail.lost + here, trail.most, layers)

    def add(self, trail: Trail, summary: FunctionSummary, place: Place, target: CostTarget) -> None:
        """Add the break ``target`` at ``place`` in ``summary``, to which ``trail`` leads; once for each function."""
        if not self.runs or (id(target), id(summary), place) in self._added:
            return
        self._added.add((id(target), id(summary), place))
        end = self._after(trail, summary, place)
        if end.worst is None:
            return
        runs = self.runs.get(id(summary), 1)
        times = self.partitioner.partition(summary).times.get(place, 1)
        repeats = None if runs is None or times is None else runs * times
        old = self._hits.get(id(target))
        if old is not None:
            repeats = None if repeats is None or old.repeats is None else repeats + old.repeats
            if old.end.worst is not None and old.end.worst.rank >= end.worst.rank:
                end = old.end
        self._hits[id(target)] = _Hit(target, end, repeats)

    def close(self) -> None:
        """Pass each target its consequence, if it is worse than the one it has."""
        for hit in self._hits.values():
            worst, repeats = hit.end.worst, hit.repeats
            cost = _estimated(repeats) + hit.end.lost
            if worst is not None and cost > hit.target.cost:
                hit.target.cost = cost
                hit.target.consequence = Consequence(
                    worst.kind,
                    hit.end.frame,
                    worst.reason,
                    worst.line,
                    repeats,
                    self.name,
                    hit.end.layers,
                    hit.target.behind,
                )


def _estimated(times: int | None) -> int:
    return UNKNOWN_TIMES if times is None else times
