"""Programs whose marked lines break, and no others, for gblint and for Dynamo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pytest

from tests.interp.snippets import breaks
from tests.oracle import record


class Program(NamedTuple):
    """A source with a function ``f``, and the text of its inputs; the lines that break end with ``# breaks``."""

    source: str
    inputs: str = "(torch.rand(3),)"


def marked(source: str) -> set[int]:
    """Return the lines that are marked."""
    return {number for number, line in enumerate(source.split("\n"), 1) if "# breaks" in line}


def check_lines(source: str, entry: str | None = None) -> None:
    """Check that gblint reports the marked lines of a source, and no others."""
    assert {line for line, _ in breaks(source, entry)} == marked(source)


def lines_by_dynamo(programs: Mapping[str, Program]) -> dict[str, set[int]]:
    """Return the lines at which Dynamo breaks in each program; skip the test if torch is not installed."""
    pytest.importorskip("torch")
    answers = record.answers([record.Job(name, *program) for name, program in programs.items()])
    found: dict[str, set[int]] = {}
    for name, answer in zip(programs, answers, strict=True):
        assert answer is not None, name
        # Line 0 is in the standard library.
        found[name] = {line for line, _ in answer["breaks"] if line}
    return found
