"""The outcome of inlining a function: whether it breaks on every path, on some or on none."""

from __future__ import annotations

import ast
from functools import reduce

from gblint.diagnostics.break_event import Category, Confidence
from gblint.interp.domain import frame_tensors
from gblint.interp.state import trace_ir
from gblint.interp.state.path_conditions import PathCondition, easier
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InlineOutcome:
    """The outcome of inlining a function or a part of it.

    breaks: on some path there is a break.
    always: on every path there is a break.
    possibly: there is a break of confidence *possible*.
    operators: the number of operators that enter the graph; of branches those of the one with the most.
    leaves: control may leave the part before its end, as by ``return``.
    """

    breaks: bool = False
    always: bool = False
    possibly: bool = False
    operators: int = 0
    leaves: bool = False


_NOTHING = InlineOutcome()


class InlineOutcomes:
    """The outcomes of inlining functions and parts of them, each computed once."""

    def __init__(self) -> None:
        self._functions: dict[int, InlineOutcome] = {}
        self._bodies: dict[int, InlineOutcome] = {}

    def of_function(self, summary: FunctionSummary) -> InlineOutcome:
        """Return the outcome for a whole function; a recursive call is assumed not to break."""
        known = self._functions.get(id(summary))
        if known is None:
            self._functions[id(summary)] = _NOTHING
            known = self._functions[id(summary)] = self.of_body(summary.body, summary)
        return known

    def of_body(self, body: trace_ir.Body, summary: FunctionSummary) -> InlineOutcome:
        """Return the outcome for a part of the function ``summary``."""
        known = self._bodies.get(id(body))
        if known is None:
            known = self._bodies[id(body)] = self._walk(body, summary)
        return known

    def path_to_break(self, summary: FunctionSummary) -> PathCondition | None:
        """Return the easiest path in a function to a break that is more than *possible*; None if it has none."""
        return self._path(summary, set()) if self.of_function(summary).breaks else None

    def _path(self, summary: FunctionSummary, seen: set[int]) -> PathCondition | None:
        seen.add(id(summary))
        paths = [
            each.path
            for each in summary.events.values()
            if each.event.category is Category.GRAPH_BREAK and each.event.confidence is not Confidence.POSSIBLE
        ]
        for span, callee in summary.calls.values():
            inner = self._path(callee, seen) if self.of_function(callee).breaks and id(callee) not in seen else None
            if inner is not None:
                paths.append(summary.call_paths[(span.line, id(callee))] + inner)
        return reduce(easier, paths) if paths else None

    def _walk(self, body: trace_ir.Body, summary: FunctionSummary) -> InlineOutcome:
        breaks = always = possibly = leaves = False
        is_reached = True
        operators = 0
        for step in body.values():
            if step is trace_ir.OPERATOR:
                operators += 1
                continue
            if isinstance(step, int):
                continue
            if isinstance(step, trace_ir.ExitStep):
                leaves = True
                break
            found = self._step(step, summary)
            operators += found.operators
            breaks = breaks or found.breaks
            always = always or (is_reached and found.always)
            possibly = possibly or found.possibly
            is_reached = is_reached and not (found.leaves and not found.always)
        return InlineOutcome(breaks, always, possibly, operators, leaves or not is_reached)

    def _step(self, step: trace_ir.TraceStep, summary: FunctionSummary) -> InlineOutcome:
        if isinstance(step, trace_ir.BreakStep):
            level = confidence(summary, step)
            expected = level is not None and level is not Confidence.POSSIBLE
            return InlineOutcome(expected, expected, level is Confidence.POSSIBLE)
        if isinstance(step, trace_ir.CallStep):
            found = self.of_function(step.callee)
            return InlineOutcome(found.breaks, found.always, found.possibly, found.operators)
        if isinstance(step, trace_ir.BranchStep):
            return _either([self.of_body(each, summary) for each in step.bodies])
        if isinstance(step, trace_ir.LoopStep):
            return _in_turn([self.of_body(each, summary) for each in step.bodies])
        if isinstance(step, trace_ir.BlockStep):
            handlers = [self.of_body(each, summary) for each in step.handlers]
            main = self.of_body(step.body, summary)
            maybe = main.possibly or any(h.possibly or h.breaks for h in handlers)
            operators = main.operators
            if main.leaves and handlers:
                operators += max(h.operators for h in handlers)
            return InlineOutcome(
                main.breaks, main.always, maybe, operators, main.leaves and all(h.leaves for h in handlers)
            )
        return _NOTHING


def confidence(summary: FunctionSummary, step: trace_ir.BreakStep) -> Confidence | None:
    """Return the confidence of a break; None if the event turned out to be something else."""
    seen = summary.events.get(step.place)
    return None if seen is None else seen.event.confidence


def _either(branches: list[InlineOutcome]) -> InlineOutcome:
    if not branches:
        return _NOTHING
    return InlineOutcome(
        any(b.breaks for b in branches),
        all(b.always for b in branches),
        any(b.possibly for b in branches),
        max(b.operators for b in branches),
        any(b.leaves for b in branches),
    )


def _in_turn(parts: list[InlineOutcome]) -> InlineOutcome:
    return InlineOutcome(
        any(p.breaks for p in parts),
        any(p.always for p in parts),
        any(p.possibly for p in parts),
        sum(p.operators for p in parts),
        any(p.leaves for p in parts),
    )


def is_compiled(summary: FunctionSummary) -> bool:
    """Return whether Dynamo compiles a function that Python calls: one with tensors that is not a generator."""
    return not summary.is_generator and (summary.locals is None or frame_tensors.in_frame(*summary.locals))


def is_left_alone(summary: FunctionSummary, node: ast.AST) -> bool:
    """Return whether Dynamo does not compile the rest of a function after a break at ``node``."""
    return summary.locals is not None and not frame_tensors.after_break(*summary.locals, node)
