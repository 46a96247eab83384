"""``gblint check --why FILE:LINE``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]
Run = Callable[..., Any]

MODEL = """\
import torch


class Net(torch.nn.Module):
    def __init__(self, flag=False):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)
        self.flag = flag

    def forward(self, x, mask=None):
        y = self.linear(x)
        if mask is None:
            y = y + 1
        elif self.flag:
            y = y - mask.sum().item()
        for layer in ():
            y = layer(y)
        return helper(y, x.shape[0])

    def unused(self):
        return 1


def helper(y, n):
    if n > 3:
        return y.item()
    raise ValueError(n)
    return y


net = torch.compile(Net())
net(torch.ones(3))
"""


def test_what_is_reached(project: Write, gblint: Run) -> None:
    project({"net.py": MODEL})
    result = gblint("check", "--why", "net.py:26")
    assert result.status == 0
    assert result.out.splitlines() == [
        "net.py:26: return y.item()",
        "    compiled code runs this line, in `helper`",
        "    reached through",
        "        net.py:31 in net:Net",
        "        -> net.py:18 in Net.forward",
        "    conditions on the path",
        "        line 25, `n > 3`: true or false: both branches are followed",
        "    values",
        "        y         Tensor (rank 1)",
        "        y.item    method item of Tensor (rank 1)",
        "        y.item()  number",
        "    found",
        "        GBL101 (likely) `y.item()` takes a number out of a tensor",
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (1, "this is the top level of a module, which runs when it is imported, outside of every compiled region"),
        (7, "`__init__` is only called by code that runs eagerly"),
        (15, "the condition on line 12, `mask is None` (True), is always true here"),
        (17, "the loop on line 16 has nothing to iterate over"),
        (21, "no entry point reaches `unused`"),
        (22, "there is no statement on this line"),
        (28, "no path continues after line 27 (`raise ValueError(n)`)"),
    ],
)
def test_what_is_not_reached(project: Write, gblint: Run, line: int, reason: str) -> None:
    project({"net.py": MODEL})
    result = gblint("check", "--why", f"net.py:{line}")
    assert (result.status, result.err) == (0, "")
    assert result.out.splitlines()[1] == f"    compiled code does not run this line: {reason}"


def test_nothing_is_compiled(project: Write, gblint: Run) -> None:
    project({"net.py": "def f(x):\n    return x\n"})
    assert "nothing is compiled" in gblint("check", "--why", "net.py:2").out


def test_json(project: Write, gblint: Run) -> None:
    project({"net.py": MODEL})
    answer = json.loads(gblint("check", "--why", "net.py:26", "--output-format", "json").out)
    assert answer["reached"]
    assert answer["conditions"] == [{"line": 25, "text": "n > 3", "outcome": None}]
    assert {"expression": "y", "value": "Tensor (rank 1)"} in answer["values"]
    assert [found["code"] for found in answer["findings"]] == ["GBL101"]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("net.py", "FILE:LINE is expected"),
        ("net.py:0", "FILE:LINE is expected"),
        ("net.py:99", "the file has 33 lines"),
        ("gone.py:1", "there is no such Python file"),
    ],
)
def test_a_place_that_is_not_there(project: Write, gblint: Run, place: str, message: str) -> None:
    project({"net.py": MODEL})
    result = gblint("check", "--why", place)
    assert result.status == 2
    assert message in result.err


def test_a_file_that_cannot_be_parsed(project: Write, gblint: Run) -> None:
    project({"net.py": "x = (\n"})
    result = gblint("check", "--why", "net.py:1")
    assert result.status == 2
    assert "Traceback" not in result.err
