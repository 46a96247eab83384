"""Modules that eager code changes around the calls of what is compiled: gblint and Dynamo find the marked lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import check_program, check_program_by_dynamo

HEAD = """
from contextlib import contextmanager
import torch
from torch import nn

class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.loud = False
        self.counting = False

    def count(self, on=True):
        self.counting = on
        return self

    def forward(self, x):
        if self.loud:
            print("loud")$LOUD
        if self.counting:
            x = x * x.sum().item()$COUNTING
        return self.lin(x)

class loud_parts:
    def __init__(self, model):
        self.parts = [each for each in model.modules() if isinstance(each, Part)]

    def __enter__(self):
        for each in self.parts:
            each.loud = True

    def __exit__(self, *error):
        for each in self.parts:
            each.loud = False

class Net(nn.Module):
    def __init__(self, manage=False):
        super().__init__()
        self.part = Part()
        self.manage = manage

    @contextmanager
    def counting(self):
        self.part.counting = True
        yield
        self.part.counting = False

    def forward(self, x):
        if self.manage:
            with loud_parts(self):
                x = self.part(x)
            with self.counting():
                return self.part(x)
        return self.part(x)

def make_loud(model):
    for each in model.modules():
        if isinstance(each, Part):
            each.loud = True

x = torch.ones(2, 4)
"""
PROGRAMS = {
    "loop": (
        "LOUD",
        """
net = nn.Sequential(Part())
net.compile()
for each in net.modules():
    if isinstance(each, Part):
        each.loud = True
net(x)
""",
    ),
    "loop-over-children": (
        "COUNTING",
        """
raw = nn.Sequential(Part())
net = torch.compile(raw)
for each in raw.children():
    each.count()
net(x)
""",
    ),
    "method": (
        "COUNTING",
        """
net = Part()
net.compile()
net.count()
net(x)
""",
    ),
    "method-of-part": (
        "COUNTING",
        """
net = nn.Sequential(Part())
net.compile()
net[0].count()
net(x)
""",
    ),
    "function": (
        "LOUD",
        """
net = nn.Sequential(Part())
net.compile()
make_loud(net)
net(x)
""",
    ),
    "attribute-of-compiled-module": (
        "LOUD",
        """
net = torch.compile(Part())
net.loud = True
net(x)
""",
    ),
    "attribute-of-compiled-module-in-function": (
        "LOUD",
        """
def main():
    net = torch.compile(Part())
    net.loud = True
    net(x)

main()
""",
    ),
    "manager-around-a-call": (
        "LOUD",
        """
def main():
    net = nn.Sequential(Part())
    net.compile()
    with loud_parts(net):
        net(x)
    net(x)

main()
""",
    ),
    "managers-inside": (
        "LOUD COUNTING",
        """
torch.compile(Net(manage=True))(x)
""",
    ),
    "manager-that-is-over": (
        "",
        """
def main():
    net = nn.Sequential(Part())
    with loud_parts(net):
        pass
    torch.compile(net)(x)

main()
""",
    ),
}


def _source(name: str) -> str:
    marks, program = PROGRAMS[name]
    source = HEAD + program
    for each in ("LOUD", "COUNTING"):
        source = source.replace(f"${each}", "  # breaks" if each in marks.split() else "")
    return source


@pytest.mark.parametrize("name", PROGRAMS)
def test_gblint_finds_the_lines_that_break(name: str) -> None:
    check_program(_source(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_breaks_at_the_marked_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    check_program_by_dynamo(tmp_path, monkeypatch, _source(name))


OTHER_PROGRAMS = {
    "rest-of-a-frame-with-an-lstm": """
import torch
from torch import nn

class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4)

    def encode(self, x):
        y, _ = self.rnn(x)  # breaks
        print("this frame is given up")
        return y

    def forward(self, x):
        y = self.encode(x)
        print("this one is not")  # breaks
        return y

torch.compile(Tagger())(torch.ones(2, 5, 4))
""",
    "parameters-frozen-in-the-region": """
import torch

net, frozen = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3).requires_grad_(False)

def freeze(x):
    for each in net.parameters():
        each.requires_grad_(False)  # breaks
    return net(x)

def freeze_again(x):
    for each in frozen.parameters():
        each.requires_grad_(False)
    return frozen(x)

torch.compile(freeze)(torch.ones(2, 3))
torch.compile(freeze_again)(torch.ones(2, 3))
""",
    "parts-by-names-of-the-environment": """
import os
import torch

def verify(x):
    return x + x.sum().item()  # breaks

class Draft(torch.nn.Module):
    def forward(self, x):
        return x + 1

class Engine:
    def __init__(self, names):
        self.draft, self.verifier = Draft(), verify
        for name in names:
            setattr(self, name, torch.compile(getattr(self, name)))

Engine(os.environ.get("PARTS", "draft,verifier").split(",")).verifier(torch.ones(3))
""",
    "dotted-names": """
import torch
from torch import nn

class Head(nn.Module):
    def forward(self, x):
        return x + 1

    def loss(self, x):
        return x.sum().item()  # breaks

    def other(self, x):
        print("not compiled")
        return x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = Head()

    def forward(self, x):
        return self.head.loss(self.head.other(self.head(x)))

net = Net()
for path in ["head.forward", "head.loss"]:
    *owner, name = path.split(".")
    holder = net.get_submodule(".".join(owner)) if owner else net
    setattr(holder, name, torch.compile(getattr(holder, name)))
net(torch.ones(3))
""",
    "subclasses-by-name": """
import torch

class Algorithm:
    def __init__(self, parts):
        for name in filter(None, parts.split(",")):
            setattr(self, name, torch.compile(getattr(self, name)))

class Plain(Algorithm):
    def update(self, x):
        return x + 1

class Reading(Algorithm):
    def update(self, x):
        return x + x.max().item()  # breaks

def make(name, parts):
    table = {cls.__name__.lower(): cls for cls in Algorithm.__subclasses__()}
    return table[name](parts)

def main():
    for name in ("plain", "reading"):
        make(name, "update,").update(torch.ones(3))

main()
""",
    "registered-by-setdefault": """
import torch

MODELS = {}
register = lambda cls: MODELS.setdefault(cls.__name__.lower(), cls)

@register
class First(torch.nn.Module):
    def forward(self, x):
        print("first")  # breaks
        return x

def add(cls):
    return MODELS.setdefault("second", cls)

@add
class Second(torch.nn.Module):
    def forward(self, x):
        return x * x.sum().item()  # breaks

for name in ("first", "second"):
    net = torch.compile(MODELS[name]())
    net(torch.ones(3))
""",
    "step-of-an-engine-with-a-method": """
import torch
from typing import NamedTuple

class State(NamedTuple):
    position: torch.Tensor
    velocity: torch.Tensor

class Engine:
    def __init__(self, force):
        self.force = force

    def step(self, state):
        state = state._replace(velocity=state.velocity + self.force(state.position))
        if state.velocity.sum() > 0:  # breaks
            return state._replace(position=state.position + state.velocity)
        return state

class Simulation:
    def __init__(self):
        self.engine = Engine(self.force)
        self.advance = torch.compile(self.engine.step)

    def force(self, x):
        return -x

    def run(self):
        return self.advance(State(torch.zeros(3), torch.ones(3)))

Simulation().run()
""",
}


@pytest.mark.parametrize("name", OTHER_PROGRAMS)
def test_other_programs(name: str) -> None:
    check_program(OTHER_PROGRAMS[name])


@pytest.mark.parametrize("name", OTHER_PROGRAMS)
def test_dynamo_and_other_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    check_program_by_dynamo(tmp_path, monkeypatch, OTHER_PROGRAMS[name])
