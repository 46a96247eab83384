"""Tests of the number of graphs of a call that raises."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SOURCE = """\
import torch


def f(x):
    x = x + 1
    print("hi")
    return x * 2


def g(x, loud=False):
    if loud:
        print("hi")
    return x


def h(x):
    return x + 1


strict, loose = torch.compile(f, fullgraph=True), torch.compile(f)
{other}
"""


def graphs(gblint: Callable[..., Any], folder: Path, other: str) -> list[tuple[str, int, int]]:
    """Return the entry points with their numbers of graphs."""
    path = folder / "net.py"
    path.write_text(SOURCE.format(other=other), encoding="utf-8")
    document = json.loads(gblint("check", "--no-cache", "--output-format", "json", str(path)).out)
    return [(each["name"], each["graphs"]["low"], each["graphs"]["high"]) for each in document["entries"]]


def test_a_call_that_raises_runs_no_graph(gblint: Callable[..., Any], tmp_path: Path) -> None:
    counts = graphs(gblint, tmp_path, "")
    assert sorted(counts) == [("net:f", 0, 0), ("net:f", 2, 2)]


@pytest.mark.parametrize(("name", "expected"), [("g", (0, 1)), ("h", (1, 1))])
def test_a_call_that_may_raise_may_run_one(
    gblint: Callable[..., Any], tmp_path: Path, name: str, expected: tuple[int, int]
) -> None:
    counts = graphs(gblint, tmp_path, f"other = torch.compile({name}, fullgraph=True)")
    assert (f"net:{name}", *expected) in counts
