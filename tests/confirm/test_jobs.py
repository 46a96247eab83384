"""Jobs and results as plain data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gblint.confirm.jobs import (
    CallExpressions,
    CompiledGraph,
    Job,
    Limits,
    ModeRun,
    ObservedBreak,
    Platform,
    Result,
    Target,
)
from gblint.confirm.line_ranges import from_ranges, to_ranges
from gblint.diagnostics.span import ChainLink

LINK = ChainLink("net.py", 3, "f")
JOB = Job(
    "net:Net",
    Target("entry", "net:Net", ("--x",), "Net()", "torch.ones(2)"),
    "/work",
    ("/work",),
    ("/work/net.py",),
    Limits(3.0, 2**30),
    dynamic=True,
    hints={"sites": [{"init": "Net()", "args": None}], "target": "net:Net"},
)
RESULT = Result(
    "net:Net",
    "error",
    "it raised ValueError",
    1,
    2.5,
    Platform("2.13.0", "3.11.7", "NVIDIA H200", "linux"),
    (ModeRun("eval", 0.1, None, "no"),),
    (ObservedBreak((LINK,), ("GB0124",), "said", LINK, "rest-eager", (LINK,), 2, False, "eval"),),
    (CompiledGraph(LINK, 4, 0.1),),
    compiled={"net.py": ("3-5",)},
    call=CallExpressions("Net()", "torch.ones(2)", "stub"),
)


@pytest.mark.parametrize(("made", "kind"), [(JOB, Job), (RESULT, Result), (Job("j", Target("pytest"), "."), Job)])
def test_round_trip(made: Any, kind: Any) -> None:
    assert kind.from_json(json.loads(json.dumps(made.as_json()))) == made


def test_expressions_of_the_call_are_keys_of_the_result() -> None:
    data = RESULT.as_json()
    keys = list(data)
    assert (data["init"], data["inputs"], data["stub"]) == ("Net()", "torch.ones(2)", "stub")
    assert keys[keys.index("differences") :] == ["differences", "init", "inputs", "stub", "output"]
    assert "call" not in data


@pytest.mark.parametrize("wrong", [None, [], {}, {"job": "j"}, {**RESULT.as_json(), "inputs": 3}])
def test_data_that_is_no_result(wrong: Any) -> None:
    with pytest.raises(ValueError, match="no Result"):
        Result.from_json(wrong)


def test_unknown_keys_are_ignored() -> None:
    assert Job.from_json({**JOB.as_json(), "colour": "blue"}) == JOB


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"id": 3},
        {"target": {"kind": "poem"}},
        {"watch": "net.py"},
        {"limits": {"seconds": "long"}},
        {"target": None},
    ],
)
def test_data_that_is_no_job(wrong: dict[str, Any]) -> None:
    data = {**JOB.as_json(), **wrong} if wrong else {}
    with pytest.raises(ValueError, match="no Job"):
        Job.from_json(data)


def test_lines_as_ranges() -> None:
    assert to_ranges([5, 3, 4, 9, 3]) == ("3-5", "9")
    assert from_ranges(("3-5", "9")) == {3, 4, 5, 9}
