"""``assert`` statements."""

from __future__ import annotations

import ast

from gblint.interp.domain import dynamo_constants, reach
from gblint.interp.evaluator import checked_flags
from gblint.interp.evaluator.conditions import condition
from gblint.interp.models.python import exceptions, uncaught
from gblint.interp.state.frame import Frame, join_variables
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import FALSE, NONE, Tensor, Value, members
from gblint.values.containers import Mapping, Seq


def run(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``assert``: Dynamo rewrites one on a tensor with a constant message (``rewrite_assert_with_torch_assert``)."""
    assert isinstance(node, ast.Assert)
    test = node.test
    if isinstance(test, ast.Constant) and not test.value and not frame.mode.tracing:
        if frame.flow.handlers:
            frame.flow.handlers[-1].append(frame.variables)
        return False
    holds: list[dict[str, Value]] = []  # where an earlier operand of ``or`` is true
    if frame.mode.config.rewrites_asserts and (node.msg is None or _is_folded(node.msg)):
        while isinstance(test, ast.BoolOp):
            # Dynamo looks for a raise, which follows only the last operand.
            decided, yes, no = condition(interp, _without_last(test), frame, "assert", ("assert",))
            if decided is isinstance(test.op, ast.Or):
                frame.variables = join_variables([*holds, yes])
                return True
            if isinstance(test.op, ast.Or) and decided is None:
                holds.append(yes)
            frame.variables = no if isinstance(test.op, ast.Or) else yes
            test = test.values[-1]
        if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
            value = interp.eval(test, frame)
            if any(isinstance(v, Tensor) for v in members(value)):
                frame.variables = join_variables([*holds, frame.variables])
                return True
            _check_object(interp, test, value, frame)
    decided, yes, no = condition(interp, test, frame, "assert", ("assert",))
    if decided is False and holds:
        decided = None
    if decided is False:
        exceptions.failed_assert(interp, frame, node)
        uncaught.failed_assert(interp, frame, node)
    elif decided is None:
        exceptions.failing_assert(interp, frame, node)
    if node.msg is not None and decided is not True and any(getattr(v, "origin", "") == "data" for v in no.values()):
        frame.variables = dict(no)
        path = frame.conditions.path
        reach.on_error(frame, node.test, holds=False)
        interp.eval(node.msg, frame)
        frame.conditions.path = path
    frame.variables = join_variables([*holds, yes])
    if decided is None:
        checked_flags.keep(interp, node.test, True, frame)
    return True


def _is_folded(message: ast.expr) -> bool:
    """Return whether the compiler of Python makes a constant of an expression."""
    if isinstance(message, ast.Tuple):
        return all(map(_is_folded, message.elts))
    if isinstance(message, ast.JoinedStr):
        return all(isinstance(part, ast.Constant) for part in message.values)
    if isinstance(message, ast.BinOp) and isinstance(message.op, (ast.Add, ast.Mult)):
        return _is_folded(message.left) and _is_folded(message.right)
    if isinstance(message, ast.UnaryOp):
        return _is_folded(message.operand)
    return isinstance(message, ast.Constant)


def _without_last(test: ast.BoolOp) -> ast.expr:
    if len(test.values) == 2:
        return test.values[0]
    return ast.copy_location(ast.BoolOp(test.op, test.values[:-1]), test)


def _check_object(interp: Interpreter, test: ast.expr, value: Value, frame: Frame) -> None:
    """Report the assertion of an object, or of a list or dict of tensors or objects.

    Dynamo calls ``torch.scalar_tensor`` with each value that it does not take for a constant
    (``generic_jump`` in torch/_dynamo/symbolic_convert.py).
    """
    alternatives = [v for v in members(value) if v not in (NONE, FALSE)]
    refused = [v for v in alternatives if dynamo_constants.is_missing(v)]
    if not refused:
        return
    tensors = [dynamo_constants.tensor_in(v) for v in refused]
    in_container = tensors[0] is not None
    interp.emit(
        frame,
        test,
        "assertion",
        "container" if isinstance(refused[0], (Seq, Mapping)) else "object",
        ("type-error-in-fake-tensor-call" if in_container else "args-not-convertible-to-proxy",),
        about=tensors[0] if all(t is not None for t in tensors) else None,
        likely=len(refused) < len(alternatives),
    )
