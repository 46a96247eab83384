"""Random numbers drawn in the region.

Dynamo replays ``random.randint``, ``random.uniform`` and ``random.randrange``: the number enters the graph as a
zero-dimensional tensor (``UnspecializedPythonVariable``).  It can be combined and compared with tensors, but is not
available as a Python number before a break, after which it is an ordinary number.
"""

from __future__ import annotations

import ast

from gblint.interp.state import resumption
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import NONE, NUMBER, UNKNOWN, Const, Scalar, ScalarKind, Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import element
from gblint.values.objects import ExternalObject

_CONVERSIONS = frozenset(("int", "float", "bool", "complex"))


def _draws(kind: ScalarKind) -> Handler:
    return lambda ctx: Scalar(kind, "random" if ctx.frame.mode.tracing else "python")


def _random(ctx: CallContext) -> Value:
    """``random.random()``: refused before torch 2.14, then like ``random.uniform``."""
    fact = ctx.interp.knowledge.function("random.random")
    if fact is not None and fact.breaks:
        ctx.emit("call", "random.random", fact.gb_ids)
        return Scalar("float")
    return _draws("float")(ctx)


def _check_random_state(ctx: CallContext) -> Value:
    """``sklearn.utils.check_random_state``: the generator that it is given, or one from a seed; Dynamo skips it."""
    if ctx.frame.mode.tracing:
        ctx.emit("call", "sklearn.utils.check_random_state", ("call-of-skipped-function",))
    return ExternalObject("numpy.random.RandomState")


HANDLERS: dict[str, Handler] = {
    "sklearn.utils.check_random_state": _check_random_state,
    "sklearn.utils.validation.check_random_state": _check_random_state,
    "random.random": _random,
    "random.uniform": _draws("float"),
    "random.randint": _draws("int"),
    "random.randrange": _draws("int"),
    "random.Random.random": _draws("float"),
    "random.Random.uniform": _draws("float"),
    "random.Random.randint": _draws("int"),
    "random.Random.randrange": _draws("int"),
    # The other methods that ``RandomVariable`` supports.
    "random.Random.seed": lambda _: NONE,
    "random.Random.setstate": lambda _: NONE,
    "random.Random.getstate": lambda _: Seq("tuple", None, UNKNOWN),
}


def is_random_number(value: Value) -> bool:
    """Return whether ``value`` may be a number drawn in the region."""
    return any(isinstance(v, Scalar) and v.origin == "random" for v in members(value))


def report(interp: Interpreter, subject: str, causes: tuple[str, ...], frame: Frame, node: ast.AST) -> None:
    """Report that Dynamo needs the number itself; after the break it is available."""
    interp.emit(frame, node, "random-number", subject, causes)
    resumption.convert_random_numbers(frame.variables)


def binary(interp: Interpreter, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value:
    """Return ``a op b`` if one operand is drawn and none is a tensor."""
    report(interp, "arithmetic", ("builtin-operator-on-tensors",), frame, node)
    kinds = {v.kind for v in (a, b) if isinstance(v, Scalar)}
    return Scalar("float") if "float" in kinds else NUMBER


def check_conversion(ctx: CallContext, name: str, value: Value) -> None:
    """Report ``int(n)`` and similar conversions."""
    if name in _CONVERSIONS and is_random_number(value):
        report(ctx.interp, name, ("constant-fold-exception",), ctx.frame, ctx.node)


def check_not(interp: Interpreter, operand: ast.expr, frame: Frame) -> None:
    """``if not n``."""
    value = frame.variables.get(operand.id) if isinstance(operand, ast.Name) else None
    if value is not None and value != Scalar("bool", "random") and is_random_number(value):
        report(interp, "branch", ("builtin-operator-on-tensors",), frame, operand)


def check_item(interp: Interpreter, base: Seq, index: Value, frame: Frame, node: ast.AST) -> None:
    """``items[n]``."""
    if is_random_number(index):
        plain = all(isinstance(v, (Scalar, Const)) for v in members(element(base)))
        report(
            interp,
            "index",
            ("constant-fold-exception",) if plain else ("tensor-item-without-capture-scalar-outputs",),
            frame,
            node,
        )


def check_bounds(interp: Interpreter, bounds: tuple[Value, ...], frame: Frame, node: ast.AST) -> bool:
    """Return whether a bound in ``items[n:]`` is drawn, which is reported."""
    if any(is_random_number(bound) for bound in bounds):
        report(interp, "slice-bound", ("tensor-item-without-capture-scalar-outputs",), frame, node)
        return True
    return False
