"""Parts of objects that the standard library reads: ``attrgetter``, weak references, ``reduce``, ``vars``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break, run_whole

SOURCE = """
import functools, itertools, operator, weakref
import torch
from torch import nn

class Loud(nn.Module):
    loud = True

    def forward(self, x):
        print("loud")  # breaks
        return x

    def call(self, x, *, loud=False):
        return self(x) if loud else x

class Quiet(nn.Module):
    loud = False

    def forward(self, x):
        return x

class Middle(nn.Module):
    def __init__(self):
        super().__init__()
        self.loud, self.quiet = Loud(), Quiet()

def apply(module, x):
    return module(x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.middle = Middle()
        self.table = nn.ModuleDict({{"loud": Loud(), "quiet": Quiet()}})
        self.is_loud = True
        self.reference = weakref.ref(OWNER)

    def forward(self, x):
        {statement}
        return x

OWNER = Middle()
net = Net()
"""
BREAKING = [
    'x = operator.attrgetter("middle")(self).loud(x)',
    'x = operator.attrgetter("middle.loud")(self)(x)',
    'x = operator.attrgetter("middle.quiet", "middle.loud")(self)[1](x)',
    'x = operator.itemgetter("loud")(self.table)(x)',
    'x = operator.methodcaller("call", x, loud=True)(self.middle.loud)',
    "x = list(itertools.starmap(apply, [(self.middle.quiet, x), (self.middle.loud, x)]))[0]",
    'x = functools.reduce(getattr, "middle.loud".split("."), self)(x)',
    "x = functools.reduce(lambda y, module: module(y), self.table.values(), x)",
    "x = self.reference().loud(x)",
    'x = vars(self)["_modules"]["middle"].loud(x)',
    'x = self.__dict__["_modules"]["middle"].loud(x)',
    'x = self._modules["middle"].loud(x)',
    'x = self.middle.loud(x) if vars(self)["is_loud"] else self.middle.quiet(x)',
]
CLEAN = [
    'x = operator.attrgetter("middle.quiet")(self)(x)',
    'x = operator.attrgetter("middle.quiet", "middle.loud")(self)[0](x)',
    'x = operator.itemgetter("quiet")(self.table)(x)',
    'x = operator.methodcaller("call", x)(self.middle.loud)',
    'x = functools.reduce(getattr, "middle.quiet".split("."), self)(x)',
    "x = self.reference().quiet(x)",
    'x = x if vars(self)["is_loud"] else self.middle.loud(x)',
    "x = self.middle.loud(x) if functools.reduce(operator.mul, (2, 3), 1) == 7 else x",
    'x = self.middle.loud(x) if all(map(operator.attrgetter("loud"), self.table.values())) else x',
]


def _lines(source: str) -> set[int]:
    return {line for line, _ in breaks(source + "torch.compile(net)(torch.ones(3))\n")}


@pytest.mark.parametrize("statement", BREAKING)
def test_part_that_breaks(statement: str) -> None:
    source = SOURCE.format(statement=statement)
    assert _lines(source) == {source.split("\n").index('        print("loud")  # breaks') + 1}


@pytest.mark.parametrize("statement", CLEAN)
def test_part_that_does_not_break(statement: str) -> None:
    assert _lines(SOURCE.format(statement=statement)) == set()


@pytest.mark.parametrize(("statement", "is_clean"), [*((s, False) for s in BREAKING), *((s, True) for s in CLEAN)])
def test_dynamo_takes_the_same_part(
    statement: str, is_clean: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SOURCE.format(statement=statement)
    check_first_break(tmp_path, monkeypatch, source.replace("  # breaks", "") if is_clean else source, "net")


FROM_OUTSIDE = """
import operator, weakref
import torch

class Options:
    scale = 3.0

    def scaled(self, x):
        return x * self.scale

options = Options()
proxy = weakref.proxy(options)
scale_of = operator.attrgetter("scale")
scaled = operator.methodcaller("scaled", torch.ones(3))

def net(x):
    {statement}  # breaks
    return x
"""
STATEMENTS = ["x = x * scale_of(options)", "x = x * proxy.scale", "x = x + scaled(options)"]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_object_in_c_from_outside(statement: str) -> None:
    source = FROM_OUTSIDE.format(statement=statement)
    assert _lines(source) == {source.split("\n").index(f"    {statement}  # breaks") + 1}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_dynamo_breaks_at_object_in_c_from_outside(
    statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_first_break(tmp_path, monkeypatch, FROM_OUTSIDE.format(statement=statement), "net")


STATIC_METHOD = """
import torch

class Ops:
    @staticmethod
    def negated(x, flag):
        return -x if flag else x
    table = {"negated": negated.__get__(object)}

class Net(torch.nn.Module):
    def forward(self, x):
        return Ops.table["negated"](x, True)

net = Net()
"""


def test_a_static_method_gets_no_receiver() -> None:
    assert breaks(STATIC_METHOD, "Net") == []


def test_dynamo_gives_a_static_method_no_receiver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_whole(tmp_path, monkeypatch, STATIC_METHOD, "net")
