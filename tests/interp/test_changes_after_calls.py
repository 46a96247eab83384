"""Changes of what compiled code reads, after its first call: the call found the earlier value, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import check_program, check_program_by_dynamo

HEAD = """
import torch
from dataclasses import dataclass
from torch import nn

class Data:
    def __init__(self, x):
        self.x = x
    def count(self):
        if hasattr(self, "_count"):
            return self._count
        return self.x.sum().item()$COUNT

@dataclass
class Config:
    hard: bool = False

class Net(nn.Module):
    quick = False
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.frozen = False
    def forward(self, x):
        if self.frozen or self.quick:
            return self.linear(x)
        return self.linear(x) / x.max().item()$FLAG

config, HARD, state = Config(), False, {"hard": False}
COUNTED = False

@torch.compile
def mean(data):
    return data.x / data.count()

@torch.compile
def rounded(x):
    if config.hard:
        return x.round()
    return x * x.max().item()$CONFIG

@torch.compile
def by_item(x):
    if state["hard"]:
        return x.round()
    return x * x.max().item()$ITEM

@torch.compile
def by_global(x):
    if COUNTED:
        return x.round()
    return x * x.max().item()$GLOBAL

x = torch.ones(2, 2)
"""
# Name: where Dynamo breaks, and the program.
PROGRAMS = {
    "attribute-that-was-missing": (
        "COUNT",
        "data = Data(x)\nmean(data)\ndata._count = 2\nmean(data)",
    ),
    "attribute-that-was-missing-in-a-function": (
        "COUNT",
        "def main():\n    data = Data(x)\n    mean(data)\n    data._count = 2\nmain()",
    ),
    "attribute-before-the-call": ("", "data = Data(x)\ndata._count = 2\nmean(data)"),
    "flag": ("FLAG", "net = Net()\nfast = torch.compile(net)\nfast(x)\nnet.frozen = True\nfast(x)"),
    "flag-in-a-function": (
        "FLAG",
        "def main(net):\n    fast = torch.compile(net)\n    fast(x)\n    net.frozen = True\n    fast(x)\nmain(Net())",
    ),
    "flag-of-the-class": (
        "FLAG",
        "def main(net):\n    fast = torch.compile(net)\n    fast(x)\n    net.quick = True\n    fast(x)\nmain(Net())",
    ),
    "flag-before-the-call": ("", "net = Net()\nfast = torch.compile(net)\nnet.frozen = True\nfast(x)"),
    "configuration": ("CONFIG", "rounded(x)\nconfig.hard = True\nrounded(x)"),
    "configuration-in-a-function": (
        "CONFIG",
        "def main():\n    rounded(x)\n    config.hard = True\n    rounded(x)\nmain()",
    ),
    "configuration-before-the-call": ("", "config.hard = True\nrounded(x)"),
    "item": ("ITEM", 'by_item(x)\nstate["hard"] = True\nby_item(x)'),
    "item-before-the-call": ("", 'state["hard"] = True\nby_item(x)'),
    "global": ("GLOBAL", "by_global(x)\nCOUNTED = True\nby_global(x)"),
    "global-before-the-call": ("", "COUNTED = True\nby_global(x)"),
}
MARKS = ("COUNT", "FLAG", "CONFIG", "ITEM", "GLOBAL")
CALLED = {"COUNT": "mean", "CONFIG": "rounded", "ITEM": "by_item", "GLOBAL": "by_global"}


def _source(name: str) -> str:
    broken, program = PROGRAMS[name]
    head = HEAD
    for each in MARKS:
        function = CALLED.get(each)
        if function is not None and f"{function}(" not in program:
            head = head.replace(f"@torch.compile\ndef {function}(", f"def {function}(")
        head = head.replace(f"${each}", "  # breaks" if each == broken else "")
    return f"{head}\n{program}\n"


@pytest.mark.parametrize("name", PROGRAMS)
def test_gblint_finds_the_lines_that_break(name: str) -> None:
    check_program(_source(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_breaks_at_these_lines(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_program_by_dynamo(tmp_path, monkeypatch, _source(name))
