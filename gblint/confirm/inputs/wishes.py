"""Wishes for a call: the arguments that the conditions before predicted breaks ask for.

A break behind ``if mask is not None`` is only seen by a call that passes ``mask``; one behind ``if self.log`` needs an
object that was built with ``log=True``.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

GIVEN = "given"  # the argument has to be passed; its value does not matter


@dataclass(frozen=True, slots=True)
class Wish:
    """An argument that a condition asks for, of the constructor or of the call; ``value`` may be ``GIVEN``."""

    name: str
    value: Any
    of_constructor: bool = False


def wishes(conditions: Iterable[tuple[str, bool]]) -> list[Wish]:
    """Return the wishes of conditions and the values that they need to have, the most frequent first.

    Where the conditions contradict each other, the default decides, which the other ones already have.
    """
    wanted: Counter[Wish] = Counter()
    refused: Counter[tuple[str, bool]] = Counter()
    for text, holds in conditions:
        try:
            test = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            continue
        wanted.update(_wishes(test, holds))
        refused.update((each.name, each.of_constructor) for each in _wishes(test, not holds))
    best: dict[tuple[str, bool], Wish] = {}
    for wish, count in wanted.most_common():
        place = (wish.name, wish.of_constructor)
        if count > refused[place]:
            best.setdefault(place, wish)
    return list(best.values())


def _wishes(test: ast.expr, holds: bool) -> Iterator[Wish]:
    """Yield what a test needs in order to be true (``holds``) or false; nothing for what defaults give anyway."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _wishes(test.operand, not holds)
        return
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is holds:
            for part in test.values:
                yield from _wishes(part, holds)
        return
    value: Any = True
    if isinstance(test, ast.Compare):
        if len(test.ops) != 1 or not isinstance(test.comparators[0], ast.Constant):
            return
        operator, value = test.ops[0], test.comparators[0].value
        holds = holds is isinstance(operator, (ast.Eq, ast.Is))
        if not isinstance(operator, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
            return
        if value is None:
            value, holds = GIVEN, not holds
        test = test.left
    if not holds:
        return
    if isinstance(test, ast.Name):
        yield Wish(test.id, GIVEN if value is True else value)
    elif isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name) and test.value.id == "self":
        if value is not GIVEN:
            yield Wish(test.attr, value, of_constructor=True)


def with_keyword(expression: str, name: str, value: Any) -> str | None:
    """Return a call expression with one more keyword argument; None for other expressions and known arguments."""
    try:
        call = ast.parse(expression, mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call) or any(each.arg in (name, None) for each in call.keywords):
        return None
    call.keywords.append(ast.keyword(name, ast.Constant(value)))
    return ast.unparse(ast.fix_missing_locations(call))
