"""The partition of a call into graphs: how Dynamo proceeds after each break.

Dynamo compiles a function up to a break and continues after it in a *resume function*, if it can resume from the
operation and nothing around it forbids that.  Otherwise it keeps the graph up to the last statement to which it can go
back and leaves the rest to Python, or it leaves the whole function to Python (torch/_dynamo/symbolic_convert.py:
``break_graph_if_unsupported``, ``should_compile_partial_graph``, ``maybe_has_backedge``,
``InstructionTranslatorBase.step``).  A break in an inlined function breaks the outermost caller at its call, and then
each function on the way, since Python calls them now and each is compiled on its own.

``Partitioner`` keeps one ``Partition`` for each function.  A ``PartitionBuilder`` makes it: it follows the recorded
steps of the function along every open path, each with a ``PathState``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.diagnostics.break_event import Confidence
from gblint.diagnostics.count_range import CountRange
from gblint.interp.graphs import back_edges
from gblint.interp.graphs.inline_outcomes import InlineOutcomes, confidence, is_compiled, is_left_alone
from gblint.interp.graphs.partition import NO_GRAPHS, ONE_GRAPH, FrameOutcome, Key, Partition
from gblint.interp.graphs.path_state import WORTH_KEEPING, LoopExits, PathState, merged_states
from gblint.interp.state import trace_builder, trace_ir
from gblint.interp.state.trace_ir import FunctionSummary

# The number of iterations assumed for a loop of unknown length when costs are compared.
UNKNOWN_TIMES = 8
# The number of nested ``while`` loops that are followed twice each; those within them are followed once.
MAX_LOOPS_TWICE = 5


_DROPPING = frozenset(("generator", "skip", "format", "method"))


class Partitioner:
    """The partitions of functions, each computed once."""

    def __init__(self) -> None:
        self.inline_outcomes = InlineOutcomes()
        self._partitions: dict[int, Partition] = {}

    def partition(self, summary: FunctionSummary, *, eager: bool = False) -> Partition:
        """Return the partition of a function; empty while it is computed, as for a recursive call.

        eager: the summary stands for the code that calls an entry point.
        """
        partition = self._partitions.get(id(summary))
        if partition is None:
            partition = self._partitions[id(summary)] = Partition()
            eager = eager or not is_compiled(summary)
            PartitionBuilder(self, summary, partition).fill(eager)
        return partition

    def graphs_of_call(self, summary: FunctionSummary) -> CountRange:
        """Return the number of graphs of one call by Python."""
        found = self.inline_outcomes.of_function(summary)
        if not found.breaks and not found.operators:
            return NO_GRAPHS
        if not found.breaks and is_compiled(summary):
            return ONE_GRAPH
        return self.partition(summary).graphs


class PartitionBuilder:
    """The construction of one partition.

    finished: the states of the paths that have returned.
    loops: the loops around the current step, the innermost last.
    raised: for each block around it, the states of the paths that have raised.
    leaving: for each loop around it, the states of the paths that have left it or its iteration early.
    no_checkpoint_depth: the number of loops and blocks around it inside of which Dynamo sets no checkpoint.
    tries, withs: the number of ``try`` statements and context managers around it.
    entering: the implicit calls around it: "enter" for ``__enter__``, "iteration" for ``__iter__`` and ``__next__``.
    disabled: the number of blocks around it that run without compilation.
    round: 2 in the second pass over a ``while`` loop.
    weight: how often the current step runs, estimated.
    real_outcomes: the breaks whose outcome is that of a real path, with a confidence above *possible*.
    eager_counts: the results of ``_eagerly`` by body.
    calls: the calls so far; Python makes them if all of the frame runs eagerly.
    """

    def __init__(self, partitioner: Partitioner, summary: FunctionSummary, partition: Partition) -> None:
        self.partitioner = partitioner
        self.summary = summary
        self.partition = partition
        self.finished: list[PathState] = []
        self.loops: list[ast.AST] = []
        self.raised: list[list[PathState]] = []
        self.leaving: list[LoopExits] = []
        self.no_checkpoint_depth = 0
        self.tries = 0
        self.withs = 0
        self.entering: list[str] = []
        self.disabled = 0
        self.round = 1
        self.weight = 1
        self.real_outcomes: set[Key] = set()
        self.reached: set[Key] = set()
        self.unreached: dict[Key, int] = {}
        self.eager_counts: dict[int, CountRange] = {}
        self.calls: list[Key] = []

    def fill(self, eager: bool) -> None:
        """Fill the partition."""
        body = self.summary.body
        _count_times(body, 1, 0, self.partition)
        states = self.run(body, [PathState(eager=eager)])
        ends = [state.total() for state in (*self.finished, *states) if not state.shadow]
        graphs = ends[0] if ends else NO_GRAPHS
        for end in ends[1:]:
            graphs = graphs.either(end)
        self.partition.graphs = graphs
        for key, line in self.unreached.items():
            if key not in self.real_outcomes and key not in self.reached:
                self.partition.hidden[key] = line

    def run(self, body: trace_ir.Body, states: list[PathState]) -> list[PathState]:
        """Return the states after ``body``."""
        for node, step in body.items():
            if step is trace_ir.OPERATOR:
                for state in states:
                    if state.last_break_node is not node:
                        self._operator(state)
            elif isinstance(step, int):
                if not self.no_checkpoint_depth:
                    for state in states:
                        if not state.eager and state.segment_operators >= WORTH_KEEPING:
                            state.set_checkpoint(step)
            elif isinstance(step, trace_ir.ExitStep):
                self._exit(step.how, states)
                return []
            elif isinstance(step, trace_ir.BreakStep):
                level = confidence(self.summary, step)
                if level is not None:
                    expected = level is not Confidence.POSSIBLE
                    states = self._break(states, step.place, step.operation, step.node, NO_GRAPHS, expected)
            elif isinstance(step, trace_ir.StuckManagerStep):
                states = self._stuck(step, states)
            elif isinstance(step, trace_ir.CallStep):
                states = self._call(step, states)
            elif isinstance(step, trace_ir.BranchStep):
                ends = [self.run(body, [state.copy() for state in states]) for body in step.bodies]
                states = merged_states(state for end in ends for state in end)
            elif isinstance(step, trace_ir.LoopStep):
                states = self._loop(step, states)
            elif isinstance(step, trace_ir.BlockStep):
                states = self._block(step, states)
            if not states:
                return states
        return states

    def _operator(self, state: PathState) -> None:
        if not state.eager:
            state.segment_operators += 1
            state.own_operators += self.weight
        elif state.cause is not None:
            self.partition.lost[state.cause] = self.partition.lost.get(state.cause, 0) + self.weight

    def _exit(self, how: str, states: list[PathState]) -> None:
        if how == "return":
            self.finished += states
        elif how == "raise" and self.raised:
            self.raised[-1] += states
        elif how == "break" and self.leaving:
            self.leaving[-1].broke += states
        elif how == "continue" and self.leaving:
            self.leaving[-1].continued += states

    # -- breaks and calls ----------------------------------------------------------------------------------------

    def outcome_of_break(self, state: PathState, operation: str, node: ast.AST) -> FrameOutcome:
        """Return the outcome of a break at ``node`` for this frame; the central decision of this module.

        Dynamo resumes after certain operations, if no ``try``, ``with`` or loop is around them.  Otherwise it keeps the
        graph up to the last checkpoint.  It gives up the whole segment if there is no checkpoint, for such an operation
        in a loop, and for generators, skips and formatted strings.
        """
        if operation in _DROPPING:
            return self._without_segment(state, operation)
        if operation in trace_builder.RESUMABLE and not (self.tries or self.withs or self.entering):
            first = self.round == 1 or operation == "jump"
            in_loop = back_edges.turns_back(reversed(self.loops), node, skips_tests=first)
            return self._without_segment(state, "loop") if in_loop else FrameOutcome("resumes")
        reason = "try" if self.tries else "with" if self.withs else self.entering[-1] if self.entering else operation
        if state.checkpoint is not None:
            return FrameOutcome("rest-eager", reason, state.checkpoint)
        return self._without_segment(state, reason)

    def _without_segment(self, state: PathState, reason: str) -> FrameOutcome:
        """Return the outcome of a break for which Dynamo gives up the whole current segment.

        That is the rest of the function if Dynamo has resumed after an earlier break, and else all of it.
        """
        line = state.segment_start
        return FrameOutcome("rest-eager", reason, line) if line else FrameOutcome("frame-eager", reason)

    def _break(
        self, states: list[PathState], key: Key, operation: str, node: ast.AST, own: CountRange, expected: bool
    ) -> list[PathState]:
        """Return the states after a break; ``own`` is the number of graphs that its callee runs."""
        out: list[PathState] = []
        in_own_frame = all(isinstance(loop, (ast.For, ast.AsyncFor, ast.While)) for loop in self.loops)
        for state in states:
            if in_own_frame and state.eager and state.broke_at:
                self.unreached.setdefault(key, state.broke_at)
            elif not state.shadow:
                self.reached.add(key)
            if state.eager or (
                state.last_break_node is node and operation not in ("jump", "enter") and not self.entering
            ):
                state.graphs_run = state.graphs_run.plus(own)
                if not state.eager:
                    self.partition.outcomes.setdefault(key, FrameOutcome("resumes"))
                elif expected and not state.broke_at:
                    state.broke_at = getattr(node, "lineno", 1)
                out.append(state)
                continue
            outcome = self.outcome_of_break(state, operation, node)
            self._record(key, outcome, state, expected)
            if not expected:
                out.append(state)
                continue
            if outcome.kind != "resumes":
                shadow = state.copy()
                shadow.shadow = True
                out.append(shadow)
                if state.shadow:
                    continue
            self._split(state, key, outcome, own, node)
            state.last_break_node = node
            out.append(state)
        return merged_states(out)

    def _stuck(self, step: trace_ir.StuckManagerStep, states: list[PathState]) -> list[PathState]:
        """Handle a context manager that a resumed frame gets from the breaking operation and cannot enter."""
        key = ("stuck", id(step))
        states = self._break(states, key, "enter", step.node, NO_GRAPHS, True)
        outcome = self.partition.outcomes.get(key)
        self.reached.update(step.places)
        for place in step.places:
            old = self.partition.outcomes.get(place)
            if outcome is not None and old is not None and outcome.rank > old.rank:
                self.partition.outcomes[place] = outcome
                self.partition.lost[place] = self.partition.lost.get(key, 0)
        return states

    def _record(self, key: Key, outcome: FrameOutcome, state: PathState, expected: bool) -> None:
        real = expected and not state.shadow
        old = self.partition.outcomes.get(key)
        if (
            old is None
            or (real and key not in self.real_outcomes)
            or (real == (key in self.real_outcomes) and outcome.rank > old.rank)
        ):
            self.partition.outcomes[key] = outcome
            if not real and outcome.kind != "resumes":
                self.partition.lost.setdefault(key, state.own_operators)
        if real:
            self.real_outcomes.add(key)

    def _split(self, state: PathState, key: Key, outcome: FrameOutcome, own: CountRange, node: ast.AST) -> None:
        """Apply the consequence of a break to the path on which it lies."""
        kept, line = ONE_GRAPH if state.segment_operators else NO_GRAPHS, getattr(node, "lineno", 1)
        if outcome.kind == "resumes":
            state.graphs_run = state.graphs_run.plus(kept).plus(own)
            state.start_segment(line)
            if is_left_alone(self.summary, node):
                state.eager, state.broke_at = True, line
            return
        lost = state.own_operators
        if outcome.line and outcome.line == state.checkpoint:
            state.graphs_run = state.graphs_run.plus(ONE_GRAPH).plus(state.graphs_since_checkpoint).plus(own)
            lost -= state.own_operators_at_checkpoint
        else:
            state.graphs_run = state.graphs_run.plus(state.graphs_if_eager).plus(own)
        if outcome.kind == "frame-eager":
            self.partition.eager_calls.update(self.calls)
        state.eager, state.cause, state.broke_at = True, key, line
        self.partition.lost[key] = self.partition.lost.get(key, 0) + lost

    def _call(self, step: trace_ir.CallStep, states: list[PathState]) -> list[PathState]:
        found = self.partitioner.inline_outcomes.of_function(step.callee)
        own = NO_GRAPHS if self.disabled else self.partitioner.graphs_of_call(step.callee)
        key = (step.site[0], id(step.callee))
        if not self.disabled:
            self.calls.append(key)
            if any(state.eager and not state.shadow for state in states):
                self.partition.eager_calls.add(key)
        operation = "generator" if step.callee.is_generator else trace_builder.operation_of(step.node)
        if step.stuck is not None:
            operation = "method"
        if not found.breaks:
            if found.possibly:
                self._break(states, key, operation, step.node, NO_GRAPHS, False)
            return [_passed(state, step.node, found.operators, own) for state in states]
        broken = states if found.always else [state.copy() for state in states]
        out = self._break(broken, key, operation, step.node, own, True)
        if step.stuck is not None and key in self.partition.outcomes:
            self.real_outcomes.add(step.stuck)
            self.partition.outcomes[step.stuck] = self.partition.outcomes[key]
        if found.always:
            return out
        fine = [_passed(state, step.node, found.operators, own) for state in states if not state.eager]
        return merged_states([*out, *fine])

    # -- loops and blocks ---------------------------------------------------------------------------------------

    def _loop(self, step: trace_ir.LoopStep, states: list[PathState]) -> list[PathState]:
        self.loops.append(step.node)
        has_no_checkpoint = not isinstance(step.node, ast.While)
        self.no_checkpoint_depth += has_no_checkpoint
        try:
            return self._unrolled(step, states) if step.unrolled else self._repeated(step, states)
        finally:
            self.no_checkpoint_depth -= has_no_checkpoint
            self.loops.pop()

    def _round(self, body: trace_ir.Body, states: list[PathState], broke: list[PathState]) -> list[PathState]:
        leaving = LoopExits()
        self.leaving.append(leaving)
        if not isinstance(self.loops[-1], ast.Call):  # the modules of a Sequential, which are called by one node
            for state in states:
                state.last_break_node = None
        out = self.run(body, states)
        self.leaving.pop()
        broke += leaving.broke
        return merged_states([*out, *leaving.continued])

    def _unrolled(self, step: trace_ir.LoopStep, states: list[PathState]) -> list[PathState]:
        broke: list[PathState] = []
        for body in step.bodies:
            if not states:
                break
            states = self._round(body, states, broke)
        return merged_states([*states, *broke])

    def _repeated(self, step: trace_ir.LoopStep, states: list[PathState]) -> list[PathState]:
        """Return the states after a loop with equal iterations, from one iteration and the additions of the others."""
        if not step.bodies:
            return states
        body = step.bodies[0]
        rounds = None if step.times is None else step.times
        others = CountRange(0, None) if rounds is None else CountRange(max(rounds - 1, 0), max(rounds - 1, 0))
        more = self._eagerly(body).by(others)
        weight, self.weight = self.weight, self.weight * (UNKNOWN_TIMES if rounds is None else max(rounds, 1))
        outer, self.round = self.round, 1
        broke: list[PathState] = []
        first = {state.segment_start for state in states}
        out = self._round(body, states, broke)
        if isinstance(step.node, ast.While) and sum(isinstance(n, ast.While) for n in self.loops) <= MAX_LOOPS_TWICE:
            self.round = 2
            out = self._round(body, out, broke)
            for state in out:
                if state.segment_start not in first:
                    state.graphs_run = CountRange(state.graphs_run.low, None)
        self.round, self.weight = outer, weight
        for state in out:
            if state.eager:
                state.graphs_run = state.graphs_run.plus(more)
            else:
                state.add_callee(more)
        return merged_states([*out, *broke])

    def _eagerly(self, body: trace_ir.Body) -> CountRange:
        """Return the number of graphs of the callees of ``body``, if it runs eagerly itself."""
        known = self.eager_counts.get(id(body))
        if known is None:
            inner = PartitionBuilder(self.partitioner, self.summary, Partition())
            inner.eager_counts = self.eager_counts
            inner.leaving.append(LoopExits())
            ends = inner.run(body, [PathState(eager=True)])
            ends += inner.finished + inner.leaving[0].broke + inner.leaving[0].continued
            known = ends[0].graphs_run if ends else NO_GRAPHS
            for end in ends[1:]:
                known = known.either(end.graphs_run)
            self.eager_counts[id(body)] = known
        return known

    def _block(self, step: trace_ir.BlockStep, states: list[PathState]) -> list[PathState]:
        if step.kind in ("comprehension", "generator"):
            return self._comprehension(step, states)
        if step.kind == "disabled":
            self.disabled += 1
            out = self.run(step.body, states)
            self.disabled -= 1
            return out
        before = [state.copy() for state in states] if step.handlers else []
        started = len(self.finished)
        self.no_checkpoint_depth += 1
        self.tries += step.kind == "try"
        self.withs += step.kind == "with"
        if step.kind in ("enter", "iteration"):
            self.entering.append(step.kind)
        self.raised.append([])
        out = self.run(step.body, states)
        raised = self.raised.pop()
        finished = len(self.finished)
        before = raised or before
        handled = [self.run(body, [state.copy() for state in before]) for body in step.handlers]
        self.no_checkpoint_depth -= 1
        self.tries -= step.kind == "try"
        self.withs -= step.kind == "with"
        if step.kind in ("enter", "iteration"):
            self.entering.pop()
        if not out and finished == started:
            # Control does not get past the body, so that only the handlers count.
            return merged_states(state for end in handled for state in end)
        del self.finished[finished:]
        return out

    def _comprehension(self, step: trace_ir.BlockStep, states: list[PathState]) -> list[PathState]:
        """Handle a comprehension: Dynamo inlines its function; compiled on its own, a break leaves it to Python."""
        found = self.partitioner.inline_outcomes.of_body(step.body, self.summary)
        own = self._eagerly(step.body)
        if not found.breaks and found.operators:
            own = ONE_GRAPH
        if found.always:
            self.partition.eager_calls.update(_keys(step.body))
        self.reached.update(_keys(step.body))
        if found.breaks or found.possibly:
            operation = "generator" if step.kind == "generator" else "call"
            key = ("comprehension", id(step))
            states = self._break(states, key, operation, step.node, own, found.breaks)
            outcome = self.partition.outcomes.get(key)
            if outcome is not None:
                for inner in _keys(step.body):
                    self.partition.outcomes.setdefault(inner, outcome)
                    self.partition.lost.setdefault(inner, self.partition.lost.get(key, 0))
            return states
        return [_passed(state, step.node, found.operators, own) for state in states]


def _passed(state: PathState, node: ast.AST, operators: int, own: CountRange) -> PathState:
    """Return the state after a call that does not break; ``own`` is its number of graphs if Python calls it."""
    if state.eager or state.last_break_node is node:
        state.graphs_run = state.graphs_run.plus(own)
    else:
        state.segment_operators += operators
        state.add_callee(own)
    return state


def _keys(body: trace_ir.Body) -> Iterable[Key]:
    """Return the breaks and calls in a body and in its nested bodies."""
    for step in body.values():
        if isinstance(step, trace_ir.BreakStep):
            yield step.place
        elif isinstance(step, trace_ir.CallStep):
            yield (step.site[0], id(step.callee))
        elif isinstance(step, (trace_ir.BranchStep, trace_ir.LoopStep)):
            for inner in step.bodies:
                yield from _keys(inner)
        elif isinstance(step, trace_ir.BlockStep):
            for inner in (step.body, *step.handlers):
                yield from _keys(inner)


def _count_times(body: trace_ir.Body, times: int | None, layers: int, partition: Partition) -> None:
    """Sum up how often each break and call of a body runs."""
    for step in body.values():
        if isinstance(step, (trace_ir.BreakStep, trace_ir.CallStep)):
            key: Key = step.place if isinstance(step, trace_ir.BreakStep) else (step.site[0], id(step.callee))
            old = partition.times.get(key, 0)
            partition.times[key] = None if old is None or times is None else old + times
            if layers:
                partition.layers[key] = layers
        elif isinstance(step, trace_ir.LoopStep):
            inner = times if step.unrolled else None if times is None or step.times is None else times * step.times
            around = (step.times or 0) if step.layers else layers
            for each in step.bodies:
                _count_times(each, inner, around, partition)
        elif isinstance(step, (trace_ir.BranchStep, trace_ir.BlockStep)):
            for each in step.bodies if isinstance(step, trace_ir.BranchStep) else (step.body, *step.handlers):
                _count_times(each, times, layers, partition)
