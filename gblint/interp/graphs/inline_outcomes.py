"""The outcome of inlining a function: whether it breaks on every path, on some or on none."""

from __future__ import annotations

import ast

from gblint.diagnostics.break_event import Confidence
from gblint.interp.state import trace_ir
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Tensor, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Function, is_nn_module, is_nn_module_class


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


def has_tensors(summary: FunctionSummary) -> bool:
    """Return whether Dynamo compiles a function that Python calls; functions without tensors are left alone.

    Dynamo looks for tensors among the variables, also inside lists, tuples and dicts, and for the modules torch and
    numpy among the globals (torch/_dynamo/convert_frame.py, ``has_tensor_in_frame``).
    """
    if summary.locals is None:
        return True
    function, variables = summary.locals
    if any(_holds_tensor(value) for value in variables.values()):
        return True
    return any(_is_outside_tensor(function, node) for node in ast_walk.walk(function.node))


def _holds_tensor(value: Value) -> bool:
    for member in members(value):
        if isinstance(member, (Tensor, Unknown)) or is_nn_module(member) or is_nn_module_class(member):
            return True
        if isinstance(member, Seq):
            if any(_holds_tensor(item) for item in (member.items if member.items is not None else (member.rest,))):
                return True
        elif isinstance(member, Mapping):
            inner = [item for _, item in member.entries]
            if any(_holds_tensor(item) for item in (inner if member.rest is None else [*inner, member.rest])):
                return True
    return False


def _is_outside_tensor(function: Function, node: ast.AST) -> bool:
    """Return whether a node is a closure variable with a tensor, or the ``torch`` in ``torch.relu``."""
    if isinstance(node, ast.Name):
        found = None if function.scope is None else function.scope.lookup(node.id)
        return found is not None and _holds_tensor(found)
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    return any(
        (binding.module or "").partition(".")[0] in ("torch", "numpy")
        and (binding.attribute is None or binding.attribute.islower())
        for binding in function.module.symbols.get(node.value.id, ())
    )
