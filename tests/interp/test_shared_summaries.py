"""Calls of one helper with two arguments that differ in one property: each call has a summary of its own.

Each program calls the helper in both orders.  Dynamo is run on each.
"""

from __future__ import annotations

import textwrap

import pytest

from tests.interp.snippets import breaks
from tests.oracle import dynamo

# The title, the definitions, and the arguments of the helper: the first breaks the graph, the second does not.
PAIRS = (
    (
        "super() from different classes",
        """
        class Quiet:
            def go(self, x):
                return x

        class Loud(Quiet):
            def go(self, x):
                print("loud")
                return x

        class Last(Loud):
            pass

        LAST = Last()

        def helper(each, x):
            return each.go(x)
        """,
        "super(Last, LAST)",
        "super(Loud, LAST)",
    ),
    (
        "functions with different defaults",
        """
        def made(n):
            return [lambda x, k=k: loud(x) if k > n else x for k in (0, 1)]

        def loud(x):
            print("loud")
            return x

        def helper(each, x):
            return each(x)
        """,
        "made(0)[1]",
        "made(0)[0]",
    ),
    (
        "functions with different keyword defaults",
        """
        def made(n):
            def inner(x, *, k=n):
                if k:
                    print("loud")
                return x
            return inner

        def helper(each, x):
            return each(x)
        """,
        "made(1)",
        "made(0)",
    ),
    (
        "partials with different keywords",
        """
        import functools

        def inner(x, k):
            if k:
                print("loud")
            return x

        def helper(each, x):
            return each(x)
        """,
        "functools.partial(inner, k=1)",
        "functools.partial(inner, k=0)",
    ),
    (
        "methods of different objects",
        """
        class Maker:
            def __init__(self, k):
                self.k = k

            def go(self, x):
                if self.k:
                    print("loud")
                return x

        def helper(each, x):
            return each(x)
        """,
        "Maker(1).go",
        "Maker(0).go",
    ),
    (
        "dicts with different keys",
        """
        def helper(each, x):
            if "loud" in each:
                print("loud")
            return x
        """,
        "{'loud': 1}",
        "{'quiet': 1}",
    ),
    (
        "lists of different lengths",
        """
        def helper(each, x):
            if len(each) > 1:
                print("loud")
            return x
        """,
        "[x, x]",
        "[x]",
    ),
    (
        "slices with different ends",
        """
        def helper(each, x):
            if each.stop == 2:
                print("loud")
            return x
        """,
        "slice(0, 2)",
        "slice(0, 1)",
    ),
    (
        "subclasses of list with different items",
        """
        class Items(list):
            pass

        def made(first):
            items = Items()
            items.append(first)
            return items

        def helper(each, x):
            if each[0] > 0:
                return x + 1
            return x
        """,
        "made(x.sum())",
        "made(1)",
    ),
)


def programs() -> list[tuple[str, str, int]]:
    """Return the titles and the programs, each with the line that breaks."""
    found = []
    for title, definitions, loud, quiet in PAIRS:
        for first, second, order in ((loud, quiet, "first"), (quiet, loud, "second")):
            calls = f"def f(x):\n    return helper({first}, x) + helper({second}, x)\n"
            source = f"import torch\n{textwrap.dedent(definitions)}\n\n@torch.compile\n{calls}"
            lines = source.splitlines()
            marks = ("print(", "if each[0]")
            line = next(number for number, text in enumerate(lines, 1) if text.strip().startswith(marks))
            found.append((f"{title}, {order}", source, line))
    return found


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dynamo.Verdict]:
    """The verdict of Dynamo on each program."""
    pytest.importorskip("torch")
    answers = dynamo.verdicts([(source, "(torch.ones(3),)") for _, source, _ in programs()])
    return {source: verdict for (_, source, _), verdict in zip(programs(), answers)}


@pytest.mark.parametrize(("source", "line"), [pytest.param(s, n, id=title) for title, s, n in programs()])
def test_one_of_both_breaks(source: str, line: int) -> None:
    assert {found for found, _ in breaks(source)} == {line}


@pytest.mark.parametrize(("source", "line"), [pytest.param(s, n, id=title) for title, s, n in programs()])
def test_dynamo_agrees(source: str, line: int, verdicts: dict[str, dynamo.Verdict]) -> None:
    assert set(verdicts[source].breaks) == {line}, verdicts[source]
