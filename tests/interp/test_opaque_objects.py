"""Objects that Dynamo treats as opaque, and caches and groups created in the region."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

HEAD = """
import array, collections, datetime, itertools, torch
DAY = datetime.date(2020, 1, 1)
TYPED = array.array("i", [1])

class Plain:
    pass

PLAIN = Plain()

def key(v):
    return v

@torch.compile
def f(x: torch.Tensor):
"""


@pytest.mark.parametrize(
    "line",
    [
        "return x + (id([1]) % 2)",
        "return id([1]), x",
        "return x + 1 if id(x + 1) == id(x) else x",
        "return x + len(str(DAY))",
        "return x + len(f'{DAY}')",
        "return x + (DAY - DAY).days",
        "return x + len(f'{PLAIN}')",
        "return x + TYPED[0]",
        "return x + len(TYPED)",
        "return x + collections.Counter('aab').most_common(1)[0][1]",
        "return x + len(list(itertools.groupby([1, 1], key)))",
        "return x + len(list(itertools.groupby([x, x], key=key)))",
    ],
)
def test_breaks(line: str) -> None:
    assert breaks(f"{HEAD}    {line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "return x + (id(PLAIN) % 2)",
        "return x + 1 if id(PLAIN) == id(x) else x",
        "return x + DAY.year",
        "return x + len(str(PLAIN))",
        "return x + len(list(itertools.groupby([1, 1], key=key)))",
    ],
)
def test_one_graph(line: str) -> None:
    assert not breaks(f"{HEAD}    {line}\n")
