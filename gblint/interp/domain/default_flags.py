"""Flags: an option that a constructor or a configuration turns on or off by default mostly has that value.

A break that needs the other value is less likely.  Only bools of objects count: the defaults of numbers and strings are
commonly changed, and arguments of the compiled call are commonly passed.
"""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import BOOL, FALSE, TRUE, Const, Scalar, Union, Unknown, Value

_SWITCHES = (TRUE, FALSE)


def switch(value: Value, default: Const) -> Value:
    """Return ``value`` with the ``default`` that is declared for it."""
    if default in _SWITCHES and isinstance(value, Scalar) and value.kind == "bool":
        return replace(value, likely=default)
    return value


def text_option(default: Const) -> Scalar:
    """Return a string of which only the default is known."""
    return Scalar("str", likely=default, usual=default)


def of(value: Value) -> Const | None:
    """Return the likely value of ``value``; None if there is none.

    If a value is unknown except for one flag or name, as in ``options.get("flag", False)``, it is that flag.
    """
    kind = type(value)
    if kind is Const:
        return value  # type: ignore[return-value]
    if kind is Scalar:
        return value.likely  # type: ignore[attr-defined,no-any-return]
    if kind is Union:
        known = [v for v in value.members if type(v) is not Unknown]  # type: ignore[attr-defined]
        only = of(known[0]) if len(known) == 1 else None
        return only if only is not None and isinstance(only.value, (bool, str)) else None
    return None


def opposite(value: Value) -> Value:
    """Return ``not value`` for an undecided value."""
    known = of(value)
    return BOOL if known is None else Scalar("bool", likely=Const(not known.value))


def compared(op: ast.cmpop, left: Value, right: Value, result: Value) -> Value:
    """Return ``result``, the result of a comparison, with its likely value."""
    if result is not BOOL:
        return result
    a, b = of(left), of(right)
    if a is None or b is None or _is_text_option(left) or _is_text_option(right):
        return result
    usually = _compare(op, a, b)
    return result if usually is None else Scalar("bool", likely=Const(usually))


def _is_text_option(value: Value) -> bool:
    """Return whether a value is a string of which only the default is known."""
    return isinstance(value, Scalar) and value.kind == "str"


def _compare(op: ast.cmpop, a: Const, b: Const) -> bool | None:
    if isinstance(op, (ast.Is, ast.Eq)):
        return a == b
    if isinstance(op, (ast.IsNot, ast.NotEq)):
        return a != b
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(a.value, str) and isinstance(b.value, str):
        return (a.value in b.value) == isinstance(op, ast.In)
    return None


def note(node: ast.expr, value: Value, frame: Frame) -> None:
    """Store the likely outcome of the undecided condition ``node``."""
    known = of(value)
    if known is not None:
        frame.conditions.likely_outcomes[node] = bool(known.value)
    else:
        frame.conditions.likely_outcomes.pop(node, None)


def answer(node: ast.expr, frame: Frame) -> bool | None:
    """Return the likely outcome of the condition ``node``, which was evaluated before; None if there is none."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = answer(node.operand, frame)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        stop = isinstance(node.op, ast.Or)
        answers = [answer(operand, frame) for operand in node.values]
        return stop if stop in answers else None if None in answers else not stop
    return frame.conditions.likely_outcomes.get(node)
