"""The call tree of an entry point: the functions that lead to breaks, and the graphs of the code around them.

It follows the steps of a function as ``partitioner.py`` does, but along one path only, the one with the most breaks.
The outcome of each break comes from the partition.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.diagnostics.break_event import Confidence
from gblint.diagnostics.call_tree import CallTreeNode, PartKind
from gblint.interp.graphs.inline_outcomes import confidence, is_compiled
from gblint.interp.graphs.partition import FrameOutcome, Key
from gblint.interp.graphs.partitioner import Partitioner
from gblint.interp.state import trace_ir
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.runtime.lazy_dataclasses import dataclass, field, replace

# The size that readers and a page can handle.
MOST_PARTS = 400
DEEPEST = 24


class _Segment:
    """Code that is traced into one graph."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0


@dataclass(slots=True)
class _Draft:
    """A node under construction; traced code may turn out to run eagerly because of a later break.

    own: the number of graphs of the code if it runs eagerly.
    """

    kind: PartKind
    line: int = 0
    path: str = ""
    column: int = 0
    name: str = ""
    segment: _Segment | None = None
    operators: int = 0
    own: int = 0
    summary: FunctionSummary | None = None
    outcome: FrameOutcome | None = None
    times: int | None = 1
    layers: int = 0
    breaks: int = 0
    always: bool = True
    hidden: bool = False
    inner: list[_Draft] = field(default_factory=list)
    shape: object = None


@dataclass(slots=True)
class _Position:
    """The position in a function: the drafts of the current segment, and where its statements begin among them."""

    summary: FunctionSummary
    path: str
    eager: bool
    segment: _Segment = field(default_factory=_Segment)
    drafts: list[_Draft] = field(default_factory=list)
    marks: dict[int, int] = field(default_factory=dict)
    line: int = 0
    no_checkpoint_depth: int = 0
    last_break_node: object = None

    def meets(self, outcome: FrameOutcome | None) -> None:
        """Handle a break, or a call that breaks."""
        if self.eager or outcome is None:
            return
        if outcome.kind == "resumes":
            self.segment, self.drafts, self.marks = _Segment(), [], {}
            return
        first = self.marks.get(outcome.line, 0) if outcome.kind == "rest-eager" else 0
        for draft in self.drafts[first:]:
            draft.segment = None
        self.eager = True


class _Full(Exception):
    """The tree has reached its maximum size."""


def call_tree(partitioner: Partitioner, root: FunctionSummary) -> CallTreeNode | None:
    """Return the call tree of a call; None if nothing in it breaks.  A tree that is too large is truncated."""
    if not any(partitioner.inline_outcomes.of_function(callee).breaks for _, callee in root.calls.values()):
        return None
    for depth in (DEEPEST, 12, 8, 6, 4, 3, 2, 1):
        try:
            drafts = _Tree(partitioner, depth).function(root, eager=True)
        except _Full:
            continue
        except RecursionError:
            return None
        _number(drafts, 0)
        parts = _parts(partitioner, drafts)
        return next((part for part in parts if part.kind == "call"), None)
    return None


class _Tree:
    """The construction of one tree; functions deeper than ``depth`` are shown by name only."""

    def __init__(self, partitioner: Partitioner, depth: int) -> None:
        self.partitioner = partitioner
        self.left = MOST_PARTS
        self.depth = depth
        self.active: list[FunctionSummary] = []

    def _new(self) -> None:
        self.left -= 1
        if self.left < 0 and self.depth > 1:
            raise _Full

    def function(self, summary: FunctionSummary, *, eager: bool = False) -> list[_Draft]:
        """Return the nodes of a function that Python calls."""
        eager = eager or not is_compiled(summary)
        out: list[_Draft] = []
        self.active.append(summary)
        path = "" if summary.module is None else summary.module.display
        self._run(summary.body, _Position(summary, path, eager), out)
        self.active.pop()
        return out

    def _run(self, body: trace_ir.Body, position: _Position, out: list[_Draft]) -> bool:
        """Append the nodes of ``body`` to ``out``; return false if control does not get past it."""
        for node, step in body.items():
            if step is trace_ir.OPERATOR:
                if position.last_break_node is not node:
                    self._traced(position, out, 1)
            elif isinstance(step, int):
                position.line = step
                if not position.no_checkpoint_depth:
                    position.marks[step] = len(position.drafts)
            elif isinstance(step, trace_ir.ExitStep):
                return False
            elif isinstance(step, trace_ir.BreakStep):
                self._break(step, position, out)
            elif isinstance(step, trace_ir.StuckManagerStep):
                position.meets(self._outcomes(position).get(("stuck", id(step))))
            elif isinstance(step, trace_ir.CallStep):
                self._call(step, position, out)
            elif isinstance(step, trace_ir.BranchStep):
                if not self._branch(step, position, out):
                    return False
            elif isinstance(step, trace_ir.LoopStep):
                self._loop(step, position, out)
            elif isinstance(step, trace_ir.BlockStep):
                if not self._block(step, position, out):
                    return False
        return True

    def _outcomes(self, position: _Position) -> dict[Key, FrameOutcome]:
        return self.partitioner.partition(position.summary).outcomes

    def _traced(self, position: _Position, out: list[_Draft], operators: int, own: int = 0, name: str = "") -> None:
        """Add traced operators; ``own`` is the number of graphs if Python runs the code that contains them."""
        segment = None if position.eager else position.segment
        last = out[-1] if out else None
        known = last is not None and last.kind == "graph" and last.line == position.line and not (last.own or own)
        if last is not None and known and last.segment is segment and position.drafts[-1:] in ([last], []):
            last.operators += operators
            return
        draft = _Draft("graph", position.line, position.path, name=name, segment=segment, operators=operators, own=own)
        out.append(draft)
        if not position.eager:
            position.drafts.append(draft)

    def _break(self, step: trace_ir.BreakStep, position: _Position, out: list[_Draft]) -> None:
        level = confidence(position.summary, step)
        if level is None:
            return
        self._new()
        expected = level is not Confidence.POSSIBLE
        outcome = self._outcomes(position).get(step.place)
        line, column, *_ = step.place
        out.append(
            _Draft("break", line, position.path, column + 1, outcome=outcome, always=expected, hidden=position.eager)
        )
        if expected:
            position.meets(outcome)
            position.last_break_node = step.node

    def _call(self, step: trace_ir.CallStep, position: _Position, out: list[_Draft]) -> None:
        callee = step.callee
        found = self.partitioner.inline_outcomes.of_function(callee)
        if not found.breaks:
            if found.operators:
                own = self.partitioner.graphs_of_call(callee).low
                self._traced(position, out, found.operators, own, callee.function)
            return
        self._new()
        outcome = self._outcomes(position).get((step.site[0], id(callee)))
        draft = _Draft("call", step.site[0], position.path, name=callee.function, summary=callee)
        draft.outcome = None if position.eager else outcome
        draft.always = found.always
        out.append(draft)
        if callee in self.active or len(self.active) > self.depth:
            draft.breaks = len(_breaks_in(self.partitioner, callee, set()))
            draft.own = self.partitioner.graphs_of_call(callee).low
        else:
            draft.inner = self.function(callee)
        position.meets(outcome)
        position.last_break_node = step.node

    def _branch(self, step: trace_ir.BranchStep, position: _Position, out: list[_Draft]) -> bool:
        """Add the branches that break, one after the other; if none does, the longest."""
        found = [self.partitioner.inline_outcomes.of_body(body, position.summary) for body in step.bodies]
        breaking = [body for body, each in zip(step.bodies, found) if each.breaks]
        passes = any(not each.leaves for each in found)
        if not breaking:
            most = max(zip(found, step.bodies), key=lambda pair: pair[0].operators, default=None)
            if most is not None and most[0].operators:
                self._run(most[1], position, out)
            return passes
        start = position.line
        for body in breaking:
            if len(breaking) == 1:
                before = len(out)
                self._run(body, position, out)
                for draft in out[before:]:
                    draft.always = draft.always and len(step.bodies) == 1
            else:
                self._new()
                draft = _Draft("branch", start, position.path)
                out.append(draft)
                self._run(body, position, draft.inner)
        return passes

    def _loop(self, step: trace_ir.LoopStep, position: _Position, out: list[_Draft]) -> None:
        bodies = [(body, self.partitioner.inline_outcomes.of_body(body, position.summary)) for body in step.bodies]
        if not any(found.breaks for _, found in bodies):
            for body, _ in bodies:
                self._run(body, position, out)
            return
        has_no_checkpoint = not isinstance(step.node, ast.While)
        position.no_checkpoint_depth += has_no_checkpoint
        line = getattr(step.node, "lineno", position.line)
        last: _Draft | None = None
        for body, _ in bodies:
            shape = (_shape(body), position.eager)
            if last is not None and last.shape == shape:
                last.times = (last.times or 0) + 1
                continue
            self._new()
            last = _Draft("loop", line, position.path, shape=shape, times=1 if step.unrolled else step.times)
            last.layers = len(step.bodies) if step.unrolled and step.layers else 0
            out.append(last)
            self._run(body, position, last.inner)
            if position.eager and has_no_checkpoint:
                # The break that left the loop to Python also left its first iteration to Python.
                last.shape = (shape[0], True)
        position.no_checkpoint_depth -= has_no_checkpoint

    def _block(self, step: trace_ir.BlockStep, position: _Position, out: list[_Draft]) -> bool:
        found = self.partitioner.inline_outcomes.of_body(step.body, position.summary)
        if step.kind in ("comprehension", "generator"):
            self._comprehension(step, position, out)
            return True
        if step.kind == "disabled":
            if found.operators:
                out.append(_Draft("graph", position.line, position.path, operators=found.operators))
            return True
        position.no_checkpoint_depth += 1
        passes = self._run(step.body, position, out)
        position.no_checkpoint_depth -= 1
        if not passes:
            for body in step.handlers:
                handled = self.partitioner.inline_outcomes.of_body(body, position.summary)
                passes = self._run(body, position, out) or passes if handled.breaks else passes or not handled.leaves
        return passes

    def _comprehension(self, step: trace_ir.BlockStep, position: _Position, out: list[_Draft]) -> None:
        found = self.partitioner.inline_outcomes.of_body(step.body, position.summary)
        if not found.breaks:
            if found.operators:
                self._traced(position, out, found.operators, 1)
            return
        self._new()
        line = getattr(step.node, "lineno", position.line)
        outcome = self._outcomes(position).get(("comprehension", id(step)))
        draft = _Draft("loop", line, position.path, times=None, name=step.kind)
        out.append(draft)
        inner = _Position(position.summary, position.path, True, line=line)
        self._run(step.body, inner, draft.inner)
        position.meets(outcome)


def _shape(body: trace_ir.Body) -> object:
    """Return a description that is equal for two iterations that behave equally."""
    found: list[object] = []
    for step in body.values():
        if isinstance(step, trace_ir.CallStep):
            found.append((step.site, id(step.callee)))
        elif isinstance(step, trace_ir.BreakStep):
            found.append(step.place)
        elif isinstance(step, trace_ir.ExitStep):
            found.append(step.how)
        elif isinstance(step, (trace_ir.BranchStep, trace_ir.LoopStep)):
            found.append((type(step), *map(_shape, step.bodies)))
        elif isinstance(step, trace_ir.BlockStep):
            found.append((step.kind, *map(_shape, (step.body, *step.handlers))))
    return tuple(found)


def _breaks_in(partitioner: Partitioner, summary: FunctionSummary, seen: set[int]) -> set[tuple[str, object]]:
    """Return the breaks of a function and of its callees."""
    seen.add(id(summary))
    found: set[tuple[str, object]] = {
        (event.event.span.path, place)
        for place, event in summary.events.items()
        if event.event.confidence is not Confidence.POSSIBLE
    }
    for _, callee in summary.calls.values():
        if id(callee) not in seen and partitioner.inline_outcomes.of_function(callee).breaks:
            found |= _breaks_in(partitioner, callee, seen)
    return found


# -- from drafts to nodes ----------------------------------------------------------------------------------------------


def _number(drafts: Iterable[_Draft], before: int) -> int:
    """Number the graphs in the order in which they run; ``own`` becomes the last number of a node with several."""
    last = before
    for draft in drafts:
        if draft.kind == "graph":
            if draft.segment is not None and draft.operators:
                if not draft.segment.number:
                    last += 1
                    draft.segment.number = last
            elif draft.own:
                draft.breaks, last = last + 1, last + draft.own
        elif draft.inner:
            first, end = last, _number(draft.inner, last)
            last = first + (end - first) * max(draft.times or 1, 1)
        elif draft.own:
            last += draft.own
    return last


def _parts(partitioner: Partitioner, drafts: Iterable[_Draft]) -> tuple[CallTreeNode, ...]:
    """Return the nodes; a loop of one iteration is shown without the loop."""
    joined = _joined(_part(partitioner, draft) for draft in drafts)
    return _joined(
        inner
        for part in joined
        for inner in (part.parts if part.kind == "loop" and part.times == 1 and not part.name else (part,))
    )


def _joined(parts: Iterable[CallTreeNode]) -> tuple[CallTreeNode, ...]:
    """Merge iterations that behave equally, and neighbours that belong to the same graph."""
    out: list[CallTreeNode] = []
    for part in parts:
        last = out[-1] if out else None
        if last is not None and part.kind == "loop" and _unnumbered(last) == _unnumbered(part):
            out[-1] = replace(last, times=(last.times or 0) + (part.times or 0))
        elif last is not None and _alike(last, part):
            name = last.name if last.name == part.name else "" if not (last.name and part.name) else "several functions"
            out[-1] = replace(last, operators=last.operators + part.operators, last=part.last, name=name)
        elif part.kind != "eager" or part.operators:
            out.append(part)
    return tuple(out)


def _alike(one: CallTreeNode, other: CallTreeNode) -> bool:
    if one.kind != other.kind or one.kind not in ("graph", "eager"):
        return False
    # Functions that are compiled in sequence.
    return one.kind == "eager" or one.graph == other.graph or bool(one.name and other.name)


def _unnumbered(part: CallTreeNode) -> CallTreeNode:
    """Return a loop without the numbers that distinguish its iterations."""
    inner = tuple(map(_unnumbered, part.parts))
    return replace(part, graph=0, last=0, times=0 if part.kind == "loop" else part.times, parts=inner)


def _part(partitioner: Partitioner, draft: _Draft) -> CallTreeNode:
    if draft.kind == "graph":
        if draft.segment is not None:
            number = draft.segment.number
            return CallTreeNode(
                "graph", "", draft.path, draft.line, graph=number, last=number, operators=draft.operators
            )
        if draft.own:
            first = draft.breaks
            last = first + draft.own - 1
            return CallTreeNode("graph", draft.name, draft.path, draft.line, 0, first, last, draft.operators)
        return CallTreeNode("eager", draft.name, draft.path, draft.line, operators=draft.operators)
    outcome = draft.outcome
    return CallTreeNode(
        draft.kind,
        draft.name,
        draft.path,
        draft.line,
        draft.column,
        graphs=None if draft.summary is None else partitioner.graphs_of_call(draft.summary),
        outcome=None if outcome is None else outcome.kind,
        reason="" if outcome is None else outcome.reason,
        resume_line=0 if outcome is None else outcome.line,
        times=draft.times,
        layers=draft.layers,
        breaks=draft.breaks,
        always=draft.always,
        hidden=draft.hidden,
        parts=_parts(partitioner, draft.inner),
    )
