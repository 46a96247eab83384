"""Sequences of unknown length whose first items are known: results with more items where an option is set."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break

HEAD = """
import torch

def results(x, weights: bool):
    return (x + 1, x * 2) if weights else (x + 1,)

def stage(x, weights: bool):
    found = results(x, weights)
    out = (found[0], (x.shape[0], x.shape[0] * 2))
    if weights:
        out += found[1:]
    return out

def f(x, weights: bool = False):
"""
CLEAN = {
    "an item of the start": """
    out = stage(x, weights)
    height, width = out[1]
    if height > width:
        return x - 1
    return out[0]
""",
    "an item after a longer start": """
    out = (3,) + stage(x, weights)
    if out[0] > 2 and out[2][0] > 1:
        return x - 1
    return out[1]
""",
    "an unpacked start": """
    out, sizes, *_ = stage(x, weights)
    if sizes[0] > 1:
        return x - 1
    return out
""",
    "the rest of a start": """
    rest = stage(x, weights)[1:]
    if rest[0][0] > 1:
        return x - 1
    return x
""",
    "a sum of two of unknown length": """
    out = stage(x, weights) + results(x, weights)
    if out[1][1] > 1:
        return x - 1
    return out[0]
""",
    "a start that grows in a loop": """
    out = (x.shape[0],)
    for _ in range(x.shape[0]):
        out = out + (x,)
    if out[0] > 1:
        return x - 1
    return out[-1]
""",
}
BREAKING = {
    "an item of the start": """
    out = stage(x, weights)
    if out[0].sum() > 3:  # breaks
        return x - 1
    return x
""",
    "an item after the start": """
    out = (3,) + results(x, weights) + results(x, weights)
    if out[2].sum() > 3:  # breaks
        return x - 1
    return x
""",
    "an unpacked item after the start": """
    sizes, first, second = ((3, 3),) + results(x, weights) + results(x, weights)
    if second.sum() > 3:  # breaks
        return x - 1
    return first * sizes[0]
""",
    "an item of one of two starts": """
    out = stage(x, weights)
    if x.shape[0] > 2:
        out = (x.shape[0], x, x, x, x)
    if out[1].sum() > 3:  # breaks
        return x - 1
    return x
""",
}


@pytest.mark.parametrize("body", CLEAN.values(), ids=CLEAN)
def test_no_break(body: str) -> None:
    assert breaks(HEAD + body, "f") == []


@pytest.mark.parametrize("body", BREAKING.values(), ids=BREAKING)
def test_break(body: str) -> None:
    source = HEAD + body
    marked = next(number for number, line in enumerate(source.split("\n"), 1) if "# breaks" in line)
    assert [line for line, _ in breaks(source, "f")] == [marked]


@pytest.mark.parametrize("body", [*CLEAN.values(), *BREAKING.values()])
def test_dynamo_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    check_first_break(tmp_path, monkeypatch, HEAD + body, "f")
