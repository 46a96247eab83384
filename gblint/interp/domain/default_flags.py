"""What is usually so: a default that a constructor or a config declares is what most of their users leave it at.

Only switches count, which are True or False by default: numbers and names are there to be chosen.
"""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import BOOL, FALSE, TRUE, Const, Scalar, Union, Unknown, Value

_SWITCHES = (TRUE, FALSE)


def switch(value: Value, default: Const) -> Value:
    """``value``, which somebody may have chosen, where ``default`` is declared."""
    if default in _SWITCHES and isinstance(value, Scalar) and value.kind == "bool":
        return replace(value, usual=default)
    return value


def of(value: Value) -> Const | None:
    """What ``value`` usually is, None if there is no telling.

    Of what is not known but for one flag or name, such as ``options.get("flag", False)``, that is the default.
    """
    kind = type(value)
    if kind is Const:
        return value  # type: ignore[return-value]
    if kind is Scalar:
        return value.usual  # type: ignore[attr-defined,no-any-return]
    if kind is Union:
        known = [v for v in value.members if type(v) is not Unknown]  # type: ignore[attr-defined]
        only = of(known[0]) if len(known) == 1 else None
        return only if only is not None and isinstance(only.value, (bool, str)) else None
    return None


def opposite(value: Value) -> Value:
    """``not value`` of a value that is not decided."""
    known = of(value)
    return BOOL if known is None else Scalar("bool", usual=Const(not known.value))


def compared(op: ast.cmpop, left: Value, right: Value, result: Value) -> Value:
    """``result`` of a comparison, with what it usually is."""
    if result is not BOOL:
        return result
    a, b = of(left), of(right)
    if a is None or b is None:
        return result
    usually = _compare(op, a, b)
    return result if usually is None else Scalar("bool", usual=Const(usually))


def _compare(op: ast.cmpop, a: Const, b: Const) -> bool | None:
    if isinstance(op, (ast.Is, ast.Eq)):
        return a == b
    if isinstance(op, (ast.IsNot, ast.NotEq)):
        return a != b
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(a.value, str) and isinstance(b.value, str):
        return (a.value in b.value) == isinstance(op, ast.In)
    return None


def note(node: ast.expr, value: Value, frame: Frame) -> None:
    """Remembers how the condition ``node``, which is not decided, usually turns out."""
    known = of(value)
    if known is not None:
        frame.likely_outcomes[node] = bool(known.value)
    else:
        frame.likely_outcomes.pop(node, None)


def answer(node: ast.expr, frame: Frame) -> bool | None:
    """How the condition ``node``, which was looked at just now, usually turns out; None if there is no telling."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = answer(node.operand, frame)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        stop = isinstance(node.op, ast.Or)
        answers = [answer(operand, frame) for operand in node.values]
        return stop if stop in answers else None if None in answers else not stop
    return frame.likely_outcomes.get(node)
