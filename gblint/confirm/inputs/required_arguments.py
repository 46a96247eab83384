"""The arguments of a call that the conditions before predicted breaks require.

A break behind ``if mask is not None`` is only seen by a call that passes ``mask``; one behind ``if self.log`` needs an
object that was built with ``log=True``; one behind ``if self.config.log`` one whose ``config`` was.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

GIVEN = "given"  # the argument has to be passed; its value does not matter


@dataclass(frozen=True, slots=True)
class RequiredArgument:
    """An argument that a condition requires, of the constructor or of the call; ``value`` may be ``GIVEN``.

    With a ``holder`` it is an option of the object that this argument of the constructor takes.
    """

    name: str
    value: Any
    of_constructor: bool = False
    holder: str = ""

    @property
    def place(self) -> tuple[str, str, bool]:
        """The argument without the value, to compare arguments by."""
        return self.holder, self.name, self.of_constructor


def required_arguments(conditions: Iterable[tuple[str, bool]]) -> list[RequiredArgument]:
    """Return the arguments that conditions with the given outcomes require, the most frequent first.

    Where the conditions contradict each other, an argument keeps its default, which satisfies some of them.
    """
    wanted: Counter[RequiredArgument] = Counter()
    refused: Counter[tuple[str, str, bool]] = Counter()
    for text, holds in conditions:
        try:
            test = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError):
            continue
        wanted.update(_of_test(test, holds))
        refused.update(each.place for each in _of_test(test, not holds))
    best: dict[tuple[str, str, bool], RequiredArgument] = {}
    for argument, count in wanted.most_common():
        if count > refused[argument.place]:
            best.setdefault(argument.place, argument)
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
    elif isinstance(test, ast.Attribute) and value is not GIVEN:
        *owners, name = ast.unparse(test).split(".")
        if owners[0] == "self":
            owners = owners[1:]
        if len(owners) < 2:
            yield RequiredArgument(name, value, of_constructor=True, holder="".join(owners))


def with_option(expression: str, argument: RequiredArgument, parameters: Sequence[str]) -> str | None:
    """Return a call of a constructor with the required argument; None if the argument cannot be added.

    ``parameters`` are the names of the constructor's parameters, in order.
    """
    if not argument.holder:
        return with_keyword(expression, argument.name, argument.value)
    try:
        call = ast.parse(expression, mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call) or argument.holder not in parameters:
        return None
    given = dict(zip(parameters, call.args)) | {each.arg: each.value for each in call.keywords}
    made = given.get(argument.holder)
    if not isinstance(made, ast.Call) or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    if any(each.arg is None for each in made.keywords):
        return None
    made.keywords = [each for each in made.keywords if each.arg != argument.name]
    made.keywords.append(ast.keyword(argument.name, ast.Constant(argument.value)))
    return ast.unparse(ast.fix_missing_locations(call))


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
