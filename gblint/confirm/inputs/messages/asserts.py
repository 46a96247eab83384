"""Requests of checks in the user's code: the ``assert`` that failed, or the ``if`` around the ``raise``.

The check is evaluated again, part by part, with the values of its names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from gblint.confirm.inputs.attempts import AttemptFailure
from gblint.confirm.inputs.error_requests import (
    Dtype,
    InputRequest,
    ItemCount,
    MultipleOf,
    OneOf,
    Rank,
    Size,
    ValueKind,
)

_RANKS = ("ndim", "dim()", ".shape)", ".size())")


def check_requests(failure: AttemptFailure) -> Iterator[InputRequest]:
    """Yield the requests of the check at which a call failed; none if it failed elsewhere."""
    if not failure.frames:
        return
    frame = failure.frames[-1]
    text, holds = (frame.line, True) if frame.line.startswith("assert") else (frame.condition, False)
    test = _test(text)
    if test is None:
        return
    names = {**frame.scope, **frame.locals}
    for part, wanted in _parts(test, holds):
        if isinstance(part, ast.Compare) and len(part.ops) == 1:
            yield from _compared(part, wanted, names)
        elif isinstance(part, ast.Call) and wanted and ast.unparse(part.func) == "isinstance" and len(part.args) == 2:
            yield from _instance(part, names)


def _test(text: str) -> ast.expr | None:
    """Return the condition in ``assert ...`` or ``if ...:``; only the first line of a longer statement is known."""
    text = text.removeprefix("el")
    for attempt in (text, text.rstrip(":") + ": pass", text.rstrip(",(") + ")", text.rstrip(",(") + "): pass"):
        try:
            node = ast.parse(attempt).body[0]
        except (SyntaxError, ValueError, IndexError):
            continue
        if isinstance(node, (ast.Assert, ast.If)):
            return node.test
    return None


def _parts(test: ast.expr, holds: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the comparisons in a condition, each with whether it should hold."""
    if isinstance(test, ast.BoolOp):
        for each in test.values:
            yield from _parts(each, holds)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _parts(test.operand, not holds)
    elif isinstance(test, ast.Compare) and len(test.ops) > 1:
        sides = [test.left, *test.comparators]
        for left, operator, right in zip(sides, test.ops, sides[1:]):
            yield ast.Compare(left, [operator], [right]), holds
    else:
        yield test, holds


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    try:
        return eval(compile(ast.Expression(ast.fix_missing_locations(node)), "check", "eval"), dict(names))
    except Exception:
        return None


def _compared(node: ast.Compare, holds: bool, names: Mapping[str, Any]) -> Iterator[InputRequest]:
    """Yield the requests of a comparison."""
    operator, right_side = node.ops[0], node.comparators[0]
    left, right = _value(node.left, names), _value(right_side, names)
    if left is None or right is None:
        return
    if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(operator, ast.In) == holds:
        words = tuple(each for each in _items(right) if isinstance(each, str))
        if words:
            yield OneOf(words)
        elif isinstance(left, int):
            yield from (_sized(node.left, left, each) for each in _items(right) if isinstance(each, int))
        return
    if isinstance(operator, (ast.Eq, ast.NotEq)) and isinstance(operator, ast.Eq) == holds:
        yield from _equal(node.left, left, right_side, right, names)
    elif type(left) is int and type(right) is int:
        low = isinstance(operator, (ast.Gt, ast.GtE)) == holds
        yield _sized(node.left, left, right + 1 if low and left <= right else right)
        yield _sized(right_side, right, left)


def _equal(left: ast.expr, a: Any, right: ast.expr, b: Any, names: Mapping[str, Any]) -> Iterator[InputRequest]:
    """Yield the requests of an equality."""
    import torch

    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) and b == 0:
        number, divisor = _value(left.left, names), _value(left.right, names)
        if type(number) is int and type(divisor) is int:
            yield MultipleOf(divisor, number)
    elif type(a) is int and type(b) is int:
        if a != b:
            yield _sized(left, a, b)
            yield _sized(right, b, a)
    elif isinstance(a, torch.dtype) and isinstance(b, torch.dtype):
        yield Dtype(str(b).removeprefix("torch."), str(a).removeprefix("torch."))
    elif isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        if len(a) != len(b):
            yield Rank(len(a), len(b))
            return
        for place, (one, other) in enumerate(zip(a, b)):
            if type(one) is int and type(other) is int and one != other:
                yield Size(one, other, place)
                yield Size(other, one, place)


def _sized(side: ast.expr, have: int, want: int) -> InputRequest:
    """Return the request for a number that is compared: a size, a rank or a length."""
    text = ast.unparse(side)
    if text.startswith("len(") and not text.endswith(_RANKS):
        return ItemCount(want)
    return Rank(have, want) if text.endswith(_RANKS) else Size(have, want)


def _instance(call: ast.Call, names: Mapping[str, Any]) -> Iterator[InputRequest]:
    """Yield the requests of an ``isinstance`` call."""
    value = _value(call.args[0], names)
    text = ast.unparse(call.args[1])
    for word, kind in (
        ("Tensor", "tensor"),
        ("list", "sequence"),
        ("tuple", "sequence"),
        ("dict", "mapping"),
        ("int", "int"),
    ):
        if word in text:
            yield ValueKind(kind, type(value).__name__)


def _items(value: Any) -> list[Any]:
    try:
        return list(value)[:12]
    except TypeError:
        return []
