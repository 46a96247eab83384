"""Loops: unrolled over a few known items, or run until the state no longer changes."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gblint.interp.domain import containers, reach
from gblint.interp.evaluator import assignment, parameter_loops
from gblint.interp.evaluator.conditions import condition
from gblint.interp.models.python import stacked_methods
from gblint.interp.state import trace_builder, trace_ir
from gblint.interp.state.frame import Frame, LoopStates, join_variables
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import BOTTOM, Bottom, Value
from gblint.values.lattice import widen
from gblint.values.objects import is_nn_module

MAX_UNROLL = 12
# Code that sets up a model selects modules by class or name.
MAX_UNROLL_EAGERLY = 100
MAX_PASSES = 3
# Loops within so many others are run once, with all that changes widened: each level multiplies the time by the passes.
MAX_LOOP_DEPTH = 5


def loop_for(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``for``: unrolled over a few known items, else run until the state no longer changes."""
    assert isinstance(node, (ast.For, ast.AsyncFor))
    if not frame.mode.tracing:
        parameter_loops.set_gradients(interp, node, frame)
    iterable = interp.eval(node.iter, frame)
    stacked_methods.resume(interp, frame)
    with trace_builder.InBlock(frame, "iteration", node):
        items = interp.items_of(iterable, frame, node.iter)
        most = MAX_UNROLL if frame.mode.tracing else MAX_UNROLL_EAGERLY
        known = items is not None and len(items) <= most and frame.flow.may_unroll(len(items))
        known = known and not interp.budget.exhausted and not _is_deep(frame)
        item = BOTTOM if known else interp.item_of(iterable, frame, node.iter)
    if items is not None and known:
        return _unrolled(interp, node, items, frame)
    times = containers.length_of(iterable) if items is None else len(items)

    def step() -> bool:
        assignment.assign(interp, node.target, item, frame)
        return interp.run(node.body, frame)

    if isinstance(item, Bottom):
        return not node.orelse or interp.run(node.orelse, frame)
    loop = trace_builder.record_loop(frame, node, times, unrolled=False, layers=is_nn_module(item))
    return _abstract_loop(interp, frame, loop, step, node.orelse)


def _is_deep(frame: Frame) -> bool:
    return len(frame.flow.loops) >= MAX_LOOP_DEPTH


def _unrolled(interp: Interpreter, node: ast.For | ast.AsyncFor, items: tuple[Value, ...], frame: Frame) -> bool:
    loop = LoopStates()
    layers = bool(items) and all(is_nn_module(item) for item in items)
    noted = trace_builder.record_loop(frame, node, len(items), unrolled=True, layers=layers)
    frame.flow.loops.append(loop)
    frame.context.append("loop")
    alive = True
    path, rounds = frame.conditions.path, frame.flow.rounds
    frame.flow.rounds *= max(len(items), 1)
    try:
        for item in items:
            frame.conditions.path = path
            with trace_builder.InBranch(frame, noted.bodies):
                assignment.assign(interp, node.target, item, frame)
                ends = [frame.variables] if interp.run(node.body, frame) else []
            ends += loop.continues
            loop.continues = []
            if not ends:
                alive = False
                break
            frame.variables = dict(join_variables(ends))
    finally:
        frame.conditions.path, frame.flow.rounds = path, rounds
        frame.flow.loops.pop()
        frame.context.pop()
    return _after_loop(interp, frame, loop, alive, node.orelse)


def _after_loop(interp: Interpreter, frame: Frame, loop: LoopStates, alive: bool, orelse: list[ast.stmt]) -> bool:
    ends = list(loop.breaks)
    if alive and (not orelse or interp.run(orelse, frame)):
        ends.append(frame.variables)
    if not ends:
        return False
    frame.variables = dict(join_variables(ends))
    return True


def _abstract_loop(
    interp: Interpreter, frame: Frame, noted: trace_ir.LoopStep, step: Callable[[], bool], orelse: list[ast.stmt]
) -> bool:
    """Run ``step`` until the state at its start no longer changes; the loop may also run zero times."""
    loop = LoopStates()
    deep = _is_deep(frame)
    start, path = dict(frame.variables), frame.conditions.path
    token = interp.enter_branch()
    frame.flow.loops.append(loop)
    frame.context.append("loop")
    try:
        for number in range(1 if deep else MAX_PASSES):
            frame.variables = dict(start)
            frame.conditions.path = path
            noted.bodies.clear()
            with trace_builder.InBranch(frame, noted.bodies):
                ends = [frame.variables] if step() else []
            ends += loop.continues
            loop.continues = []
            new = join_variables([start, *ends])
            if number > 0 or deep:
                new = {n: v if start.get(n) == v else widen(v) for n, v in new.items()}
            if new == start or interp.budget.exhausted:
                break
            start = dict(new)
    finally:
        frame.conditions.path = path
        frame.flow.loops.pop()
        frame.context.pop()
        interp.branch_id = token
    frame.variables = dict(start)
    return _after_loop(interp, frame, loop, True, orelse)


def loop_while(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``while``."""
    assert isinstance(node, ast.While)
    exits: list[dict[str, Value]] = []

    def step() -> bool:
        decided, yes, no = condition(interp, node.test, frame, "while")
        if decided is not True:
            exits.append(dict(no))
        if decided is False:
            frame.variables = dict(no)
            return False
        frame.variables = dict(yes)
        if decided is None:
            reach.into_loop(frame, node)
        return interp.run(node.body, frame)

    if not _abstract_loop(interp, frame, trace_builder.record_loop(frame, node, None, unrolled=False), step, []):
        return False
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    if exits and not endless:
        frame.variables = join_variables([frame.variables, *exits])
    return not node.orelse or interp.run(node.orelse, frame)


def breaks(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``break``."""
    if frame.flow.loops:
        frame.flow.loops[-1].breaks.append(frame.variables)
        trace_builder.record_exit(frame, node, "break")
    return False


def continues(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``continue``."""
    if frame.flow.loops:
        frame.flow.loops[-1].continues.append(frame.variables)
        trace_builder.record_exit(frame, node, "continue")
    return False
