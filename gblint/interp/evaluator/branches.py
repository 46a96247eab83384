"""Branches: ``if`` and ``match``."""

from __future__ import annotations

import ast

from gblint.interp.domain import branch_stores, default_flags, reach, switches, unusual_stores
from gblint.interp.evaluator import checked_flags, chosen_objects, filled_tables
from gblint.interp.evaluator.conditions import condition, is_rare
from gblint.interp.models.python import stacked_methods, type_tests
from gblint.interp.state import trace_builder, trace_ir
from gblint.interp.state.frame import Frame, join_variables
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.path_conditions import INPUT, Condition, PathCondition
from gblint.runtime import ast_walk
from gblint.values.base import UNKNOWN, Const, Scalar, Tensor, Value, members


def only_raises(body: list[ast.stmt]) -> bool:
    """Return whether a block only raises, perhaps after building a message."""
    last = body[-1] if body else None
    return isinstance(last, ast.Raise) and all(isinstance(s, (ast.Assign, ast.Raise)) for s in body)


def branch(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``if``: run the possible branches, each from the state that its condition narrows."""
    assert isinstance(node, ast.If)
    subject = "elif" if node.__dict__.get("is_elif") else "if"
    extra = ("guard-raise",) if only_raises(node.body) or (node.orelse and only_raises(node.orelse)) else ()
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node.orelse[0].is_elif = node.orelse[0].col_offset == node.col_offset  # type: ignore[attr-defined]
    start = frame.variables
    decided, yes, no = condition(interp, node.test, frame, subject, extra)
    stacked_methods.resume(interp, frame, yes, no)
    if decided is not None and chosen_objects.is_searched(interp, frame):
        decided = None if switches.may_compile(interp, node, decided, frame) else decided
        if decided and only_raises(node.body) and switches.is_of_variables(node.test, frame):
            decided = False  # the variables are not known well: nobody writes code that always raises
    frame.conditions.decided |= decided is not None
    rare = _rare_outcome(interp, node, frame) if decided is None else None
    usually = default_flags.answer(node.test, frame) if decided is None else None
    mode = frame.mode
    step = trace_builder.record_branch(frame, node) if decided is None else None
    ends: list[dict[str, Value]] = []
    before, paths, outcomes = frame.conditions.path, list[PathCondition](), list[bool]()
    chosen = reach.answer(node.test, frame) if decided is None else None
    is_usual, branch_path = interp.is_usual_branch, interp.effects.branch_path
    sides = branch_stores.Sides(interp, apart=decided is None and bool(node.orelse) and not frame.mode.tracing)
    for answer, state, body in ((True, yes, node.body), (False, no, node.orelse)):
        if decided is not None and decided is not answer:
            continue
        frame.variables = dict(state)
        frame.mode = mode.with_unlikely(rare is answer).with_non_default(usually is (not answer))
        if decided is None:
            reach.into(frame, node, answer, rare=rare)
            interp.is_usual_branch = reach.both(is_usual, None if chosen is None else chosen is answer)
            unusual_stores.into_branch(interp, node.test, answer, frame, rare=rare)
        if _run_branch(interp, body, frame, step, sides):
            ends.append(frame.variables)
            paths.append(frame.conditions.path)
            outcomes.append(answer)
        frame.conditions.path, interp.effects.branch_path = before, branch_path
    frame.mode, interp.is_usual_branch = mode, is_usual
    if not ends:
        return False
    frame.mode = mode.with_unlikely(len(ends) == 1 and rare is outcomes[0])
    # The path past a branch that leaves the block is the path into the other.
    frame.conditions.path = paths[0] if len(ends) == 1 else before
    if decided is None and len(ends) == 1 and _returns(node.orelse if outcomes[0] else node.body):
        # What the rest of the function stores, another call does not store.
        interp.enter_branch()
        interp.is_usual_branch = reach.both(is_usual, None if chosen is None else chosen is outcomes[0])
        unusual_stores.into_branch(interp, node.test, outcomes[0], frame, rare=rare)
    frame.variables = join_variables(ends)
    if decided is None and len(ends) == 1 and only_raises(node.orelse if outcomes[0] else node.body):
        checked_flags.keep(interp, node.test, outcomes[0], frame)
    if len(ends) > 1:
        reach.keep(start, frame.variables)
        if chosen is not None:
            reach.restore_usual(ends[outcomes.index(chosen)], frame.variables)
    return True


def _rare_outcome(interp: Interpreter, node: ast.If, frame: Frame) -> bool | None:
    """Return the outcome of an undecided condition that unusual runs or first calls have; None if there is none."""
    return True if is_rare(interp, node.test, frame) else filled_tables.filling_outcome(interp, node, frame)


def _returns(body: list[ast.stmt]) -> bool:
    """Return whether a block ends the function without an exception."""
    return bool(body) and isinstance(body[-1], ast.Return)


def _run_branch(
    interp: Interpreter,
    body: list[ast.stmt],
    frame: Frame,
    step: trace_ir.BranchStep | None,
    sides: branch_stores.Sides,
) -> bool:
    if step is None:
        with sides.side():
            return interp.run(body, frame)
    token = interp.enter_branch()
    try:
        with sides.side(), trace_builder.InBranch(frame, step.bodies):
            return interp.run(body, frame)
    finally:
        interp.branch_id = token


def matches(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``match``: run every case whose pattern may fit."""
    assert isinstance(node, ast.Match)
    subject = interp.eval(node.subject, frame)
    is_searched = chosen_objects.is_searched(interp, frame)
    start = dict(frame.variables)
    ends: list[dict[str, Value]] = []
    covered = False
    before = frame.conditions.path
    frame.conditions.decided = True
    step = trace_builder.record_branch(frame, node)
    sides = branch_stores.Sides(interp, apart=len(node.cases) > 1 and not frame.mode.tracing)
    for case in node.cases:
        frame.variables = dict(start)
        fits = _fits(interp, case.pattern, subject, frame)
        if fits is False and is_searched and switches.chooses_case(interp, node, case, frame):
            fits = None
        if fits is False:
            continue
        for bound in ast_walk.walk(case.pattern):
            name = getattr(bound, "name", None) if isinstance(bound, (ast.MatchAs, ast.MatchStar)) else None
            if name:
                frame.variables[name] = subject if bound is case.pattern else UNKNOWN
        guard: bool | None = True
        if case.guard is not None:
            guard, yes, _ = condition(interp, case.guard, frame, "match")
            frame.variables = dict(yes)
        if guard is not False:
            if not (fits and guard):
                frame.conditions.path += (Condition(case.pattern, frame.module, True, INPUT),)
            if _run_branch(interp, case.body, frame, step, sides):
                ends.append(frame.variables)
            frame.conditions.path = before
        if fits and guard:
            covered = True
            break
    if not covered:
        ends.append(start)
        step.bodies.append({})
    if not ends:
        return False
    frame.variables = dict(join_variables(ends))
    return True


def _fits(interp: Interpreter, pattern: ast.pattern, subject: Value, frame: Frame) -> bool | None:

    if isinstance(pattern, ast.MatchAs):
        return True if pattern.pattern is None else _fits(interp, pattern.pattern, subject, frame)
    if isinstance(pattern, ast.MatchOr):
        answers = [_fits(interp, p, subject, frame) for p in pattern.patterns]
        return True if True in answers else None if None in answers else False
    if isinstance(pattern, ast.MatchSingleton):
        return interp.truth(interp.compare(ast.Is(), subject, Const(pattern.value), frame, pattern))
    if isinstance(pattern, ast.MatchValue):
        result = interp.compare(ast.Eq(), subject, interp.eval(pattern.value, frame), frame, pattern)
        if any(isinstance(v, Tensor) or (isinstance(v, Scalar) and v.origin == "data") for v in members(result)):
            interp.emit(frame, pattern, "data-dependent-branch", "match", ("data-dependent-branching",), about=result)
        return interp.truth(result)
    if isinstance(pattern, ast.MatchClass):
        answer = type_tests.is_instance(interp, subject, interp.eval(pattern.cls, frame))
        return None if answer and (pattern.patterns or pattern.kwd_patterns) else answer
    return None
