"""Objects that the program around an entry point configures: by loops, options, mappings, constructors and scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.calls_apart import MAX_CALLS_APART
from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from tests.interp.snippets import breaks, ways

HEAD = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, width=3, reads=False):
        super().__init__()
        self.reads = reads
    def forward(self, x):
        if self.reads:
            return x.item()
        return x
"""


@pytest.mark.parametrize(
    "source",
    [
        "for reads in (False, True):\n    torch.compile(Net(reads=reads))(torch.ones(3))\n",
        "for net in [Net(), Net(4, True)]:\n    torch.compile(net)(torch.ones(3))\n",
        "def fast(net):\n    return torch.compile(net)\nfast(Net())\nfast(Net(reads=True))\n",
    ],
)
def test_modules_of_one_class_with_other_flags(source: str) -> None:
    assert [line for line, _ in breaks(HEAD + source)] == [10]


def test_modules_of_one_class_with_other_parts() -> None:
    source = """
class Outer(nn.Module):
    def __init__(self, reads):
        super().__init__()
        self.layers = nn.ModuleList([Net(reads=reads)])
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
for reads in (False, True):
    torch.compile(Outer(reads))(torch.ones(3))
"""
    assert [line for line, _ in breaks(HEAD + source)] == [10]


def test_too_many_modules_are_said(tmp_path: Path) -> None:
    source = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, a, b, c):
        super().__init__()
        self.a, self.b, self.c = a, b, c
    def forward(self, x):
        return x
for a in (False, True):
    for b in (False, True):
        for c in (False, True):
            torch.compile(Net(a, b, c))(torch.ones(3))
"""
    (tmp_path / "m.py").write_text(source)
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}))
    assert len(search.entries) == MAX_CALLS_APART
    assert ["more than 4 different objects are compiled there" in each.message for each in search.unresolved] == [True]


def test_computed_choices_of_an_option() -> None:
    source = """
import argparse
class Other(Net):
    def forward(self, x):
        return x.sum().item()
TABLE = {cls.__name__: cls for cls in (Net, Other)}
class Trainer:
    def fit(self, net):
        torch.compile(net)(torch.ones(3))
parser = argparse.ArgumentParser()
parser.add_argument("--net", default="Net", choices=list(TABLE))
args = parser.parse_args()
net = TABLE[args.net]()
Trainer().fit(net)
"""
    assert ways(HEAD + source) == {16: ("option", ["net is Other holds"])}


def test_a_flag_that_a_mapping_may_set() -> None:
    source = "def main(settings):\n    torch.compile(Net(**settings))(torch.ones(3))\n"
    assert ways(HEAD + source) == {10: ("option", ["self.reads holds"])}


def test_a_flag_that_no_caller_passes_on() -> None:
    source = """
def build(**kwargs):
    return Net(**kwargs)
torch.compile(build(width=4))(torch.ones(3))
"""
    assert breaks(HEAD + source) == []


SUBCLASSES = """
import abc
import torch
class Agent(abc.ABC):
    def __init__(self, compiles=False):
        self.step = torch.compile(self.update) if compiles else self.update
    @abc.abstractmethod
    def update(self, x):
        raise NotImplementedError
class First(Agent):
    def __init__(self, compiles=False):
        super().__init__(compiles)
    def update(self, x):
        return x.item()
class Second(Agent):
    def __init__(self, compiles=True):
        super().__init__(compiles=FLAG)
    def update(self, x):
        return x.sum().item()
"""


@pytest.mark.parametrize(("flag", "lines"), [("False", [14]), ("compiles", [14, 19]), ("True", [14, 19])])
def test_a_subclass_decides_what_its_base_class_compiles(flag: str, lines: list[int]) -> None:
    assert [line for line, _ in breaks(SUBCLASSES.replace("FLAG", flag))] == lines


@pytest.mark.parametrize(
    ("executed", "found"),
    [
        ('exec(open("configurator.py").read())', {10: ("option", ["self.reads holds"])}),
        ('exec("other = 1")', {}),
    ],
)
def test_a_script_whose_settings_are_replaced(executed: str, found: object) -> None:
    source = f"reads = False\n{executed}\nnet = Net(reads=reads)\ntorch.compile(net)(torch.ones(3))\n"
    assert ways(HEAD + source) == found


def test_a_setting_below_the_executed_code_stays() -> None:
    source = 'exec(open("configurator.py").read())\nreads = False\ntorch.compile(Net(reads=reads))(torch.ones(3))\n'
    assert breaks(HEAD + source) == []
