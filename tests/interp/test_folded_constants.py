"""Expressions of constants that Dynamo computes while it traces: their values decide branches."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.interp.domain import constant_math
from gblint.interp.state.call_args import Args
from gblint.values.base import Const
from tests.interp.snippets import breaks, check_first_break, confidences

# All of them are false.
EXPRESSIONS = (
    "math.floor(0.5)",
    "math.ceil(3 / 2) != 2",
    "int(math.log2(8)) != 3",
    "math.sqrt(4) != 2",
    "math.isqrt(17) != 4 or math.gcd(4, 6) != 2",
    "math.isnan(math.pi)",
    "'layer%d' % 3 != 'layer3'",
    "'%s-%s' % ('a', 0) != 'a-0'",
    "'abc'[1] != 'b' or 'abc'[-1] == 'a'",
    "'abc'[:2] != 'ab' or 'abc'[::-1] != 'cba'",
    "sorted([2, 0, 1])[0]",
    "sorted({'b': 0, 'a': 1}) != ['a', 'b']",
)
SOURCE = "import math\n\ndef f(x):\n{}    return x + 1\n"


def program(*expressions: str) -> str:
    """Return a program that prints if one of the expressions is true."""
    return SOURCE.format("".join(f"    if {each}:\n        print(x)\n" for each in expressions))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_branch_is_not_taken(expression: str) -> None:
    assert confidences(program(expression), "f") == {}
    assert [line for line, _ in breaks(program(f"not ({expression})"), "f")] == [5]


def test_dynamo_takes_none_of_the_branches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_first_break(tmp_path, monkeypatch, program(*EXPRESSIONS), "f")


@pytest.mark.parametrize(
    "expression", ["'abc'[9]", "'abc'['a']", "'%d' % 'a'", "'%99999d' % 1", "'%*d' % (99999, 1)", "sorted([1, 'a'])"]
)
def test_what_fails_or_is_large_is_not_known(expression: str) -> None:
    assert confidences(program(expression), "f").keys() == {5}


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("math.sqrt", (-1,)),
        ("math.exp", (1000,)),
        ("math.fmod", (float("inf"), 1.0)),
        ("math.atan", (float("nan"),)),
        ("math.factorial", (5,)),
        ("math.gcd", (2**200, 4)),
        ("math.sin", ("a",)),
    ],
)
def test_numbers_without_a_result(name: str, numbers: tuple[object, ...]) -> None:
    assert constant_math.result(name, Args(tuple(map(Const, numbers)))) is None
