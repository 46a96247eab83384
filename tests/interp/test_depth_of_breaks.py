"""Breaks far from the entry point: behind many calls and several conditions they are only possible."""

from __future__ import annotations

import pytest

from gblint.interp.graphs.reachability import MANY_CALLS, MANY_CONDITIONS
from tests.interp.snippets import confidences

_LAST = "last"


def _source(functions: int, conditions: int) -> tuple[str, int]:
    """Return functions that call one another, the first of which is compiled, and the line of the break in the last.

    The calls that are nearest to the break stand under conditions, none of which decides another one.
    """
    names = [f"level_{number}" for number in range(functions - 1)] + [_LAST]
    lines = ["import torch", "@torch.compile"]
    for number, called in enumerate(names[1:]):
        condition = f"x.shape[0] > {number}" if number >= functions - 1 - conditions else "True"
        lines += [
            f"def {names[number]}(x: torch.Tensor):",
            f"    if {condition}:",
            f"        return {called}(x)",
            "    return x",
        ]
    lines += [f"def {_LAST}(x: torch.Tensor):", "    return x.sum().item()"]
    return "\n".join(lines), len(lines)


@pytest.mark.parametrize(
    ("functions", "conditions", "expected"),
    [
        (MANY_CALLS, MANY_CONDITIONS, "possible"),
        (MANY_CALLS - 1, MANY_CONDITIONS, "likely"),
        (MANY_CALLS, MANY_CONDITIONS - 1, "likely"),
        (MANY_CALLS + 2, 0, "certain"),
    ],
)
def test_confidence_of_a_break_by_its_distance(functions: int, conditions: int, expected: str) -> None:
    source, line = _source(functions, conditions)
    assert confidences(source) == {line: expected}


def test_the_surest_way_to_a_break_counts() -> None:
    source, line = _source(MANY_CALLS, MANY_CONDITIONS)
    shorter = source.replace("    if True:", f"    {_LAST}(x)\n    if True:", 1)
    assert confidences(shorter) == {line + 1: "certain"}
