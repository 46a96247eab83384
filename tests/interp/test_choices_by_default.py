"""Choices that a program makes by default: options of the command line, and environment variables."""

from __future__ import annotations

import pytest

from tests.interp.snippets import ways

HEAD = """
import argparse
import enum
import os
import torch
from torch import nn
class A(nn.Module):
    def forward(self, x):
        return x + 1
class B(nn.Module):
    def __init__(self, reads=True):
        super().__init__()
        self.reads = reads
    def forward(self, x):
        if self.reads:
            return x.item()
        return x
TABLE = {"a": A, "b": B}
class Kind(str, enum.Enum):
    A = "a"
    B = "b"
KINDS = {Kind.A: A, Kind.B: B}
REGISTRY = {}
def register(cls):
    REGISTRY[cls.__name__] = cls
    return cls
@register
class RegisteredA(A):
    pass
@register
class RegisteredB(B):
    pass
def create(name):
    return REGISTRY[name]()
parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="a", choices=sorted(TABLE))
parser.add_argument("--member", type=Kind, default=Kind.A)
parser.add_argument("--registered", default="RegisteredA")
parser.add_argument("--reads", action="store_true")
parser.add_argument("--keeps", dest="drops", action="store_false")
args = parser.parse_args()
"""


def compiled(expression: str) -> dict[int, tuple[str, list[str]]]:
    return ways(f"{HEAD}def main():\n    net = {expression}\n    torch.compile(net)(torch.ones(3))\n")


@pytest.mark.parametrize(
    "expression",
    [
        'TABLE[os.getenv("KIND", "a")]()',
        'TABLE[os.environ.get("KIND", "a")]()',
        "KINDS[args.member]()",
    ],
)
def test_the_other_one_is_an_option(expression: str) -> None:
    assert compiled(expression) == {16: ("option", ["net is B holds"])}


@pytest.mark.parametrize("expression", ['TABLE[os.getenv("KIND", "b")]()', "TABLE[input()]()"])
def test_the_default_is_reached_always(expression: str) -> None:
    assert compiled(expression)[16][0] == "always"


def test_a_registered_class_that_the_default_names() -> None:
    assert compiled("create(args.registered)") == {16: ("option", ["net is RegisteredB holds"])}


def test_flags_of_the_command_line() -> None:
    assert compiled("B(reads=args.reads)") == {16: ("option", ["self.reads holds"])}
    assert compiled("B(reads=args.drops)")[16][0] == "default"


def test_a_scheduler_that_an_annotation_admits() -> None:
    source = """
import torch
class Base:
    def step(self, x):
        raise NotImplementedError
class Plain(Base):
    def step(self, x):
        return x + 1
class Reads(Base):
    def step(self, x):
        return x.item()
class Pipeline:
    def __init__(self, scheduler: Base):
        self.scheduler = scheduler
    def compile(self):
        self.step = torch.compile(self.scheduler.step)
"""
    assert ways(source)[11][0] == "always"
    assert ways(f"{source}Pipeline(Plain()).compile()\n") == {11: ("input", ["self.scheduler.step is Reads holds"])}


def test_one_of_two_modules_in_an_attribute() -> None:
    source = """
class Net(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.part = A() if kind else B()
    def forward(self, x):
        return self.part(x)
def main(kind):
    torch.compile(Net(kind))(torch.ones(3))
"""
    assert ways(HEAD + source) == {16: ("default", ["self.part is B holds"])}


def test_an_abstract_class_in_an_annotation_hides_no_choice() -> None:
    source = """
        import argparse
        from abc import ABC, abstractmethod
        import torch
        class Base(ABC):
            @abstractmethod
            def step(self, x): ...
        class First(Base):
            def step(self, x):
                return x.item()
        class Second(Base):
            def step(self, x):
                return x.tolist()
        TABLE = {"first": First, "second": Second}
        class Pipeline:
            def __init__(self, scheduler: Base):
                self.scheduler = scheduler
            def compile(self):
                self.step = torch.compile(self.scheduler.step)
        parser = argparse.ArgumentParser()
        parser.add_argument("--kind", default="first", choices=sorted(TABLE))
        if __name__ == "__main__":
            args = parser.parse_args()
            Pipeline(TABLE[args.kind]()).compile()
    """
    assert {line: reach for line, (reach, _) in ways(source).items()} == {10: "always", 13: "option"}
