"""The arguments of a call that the conditions before predicted breaks require.

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
class RequiredArgument:
    """An argument that a condition requires, of the constructor or of the call; ``value`` may be ``GIVEN``."""

    name: str
    value: Any
    of_constructor: bool = False


def required_arguments(conditions: Iterable[tuple[str, bool]]) -> list[RequiredArgument]:
    """Return the arguments that conditions with the given outcomes require, the most frequent first.

    Where the conditions contradict each other, an argument keeps its default, which satisfies some of them.
    """
    wanted: Counter[RequiredArgument] = Counter()
    refused: Counter[tuple[str, bool]] = Counter()
    for text, holds in conditions:
        try:
            test = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            continue
        wanted.update(_of_test(test, holds))
        refused.update((each.name, each.of_constructor) for each in _of_test(test, not holds))
    best: dict[tuple[str, bool], RequiredArgument] = {}
    for argument, count in wanted.most_common():
        place = (argument.name, argument.of_constructor)
        if count > refused[place]:
            best.setdefault(place, argument)
    return list(best.values())


def _of_test(test: ast.expr, holds: bool) -> Iterator[RequiredArgument]:
    """Yield the arguments with which a test is true (``holds``) or false; none where the defaults suffice."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _of_test(test.operand, not holds)
        return
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is holds:
            for part in test.values:
                yield from _of_test(part, holds)
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
        yield RequiredArgument(test.id, GIVEN if value is True else value)
    elif isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name) and test.value.id == "self":
        if value is not GIVEN:
            yield RequiredArgument(test.attr, value, of_constructor=True)


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
