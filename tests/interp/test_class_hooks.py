"""Hooks of classes: ``__new__``, metaclasses, descriptors, class decorators, enums and records of options."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break

HEAD = """
import enum, functools, types
from dataclasses import dataclass, field, replace
from typing import NamedTuple
import torch
from torch import nn
"""
NETS = {
    "an attribute that the class lacks": """
class Base:
    def __init_subclass__(cls, loud=False, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.loud = loud

class Loud(Base, loud=True):
    pass

class Quiet(Base):
    pass

loud, quiet = Loud(), Quiet()

def net(x):
    if quiet.loud:
        print("quiet")
    if loud.loud:
        print("loud")  # breaks
    return x
""",
    "a class inside of the subclass": """
class Part:
    class Config:
        owner = None
        def build(self):
            return self.owner()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "Config" in cls.__dict__:
            cls.Config.owner = cls

class Loud(Part):
    class Config(Part.Config):
        pass
    def run(self, x):
        print("loud")  # breaks
        return x

class Quiet(Part):
    class Config(Part.Config):
        pass
    def run(self, x):
        return x

quiet, loud = Quiet.Config().build(), Loud.Config().build()

def net(x):
    return loud.run(quiet.run(x))
""",
    "new": """
class Base:
    def __new__(cls, *args):
        made = super().__new__(cls)
        made.loud, made.quiet = True, False
        return made

class Options(Base):
    def __init__(self, size):
        self.size = size

options = Options(3)

def net(x):
    if options.quiet:
        print("quiet")
    if options.loud:
        print("loud")  # breaks
    return x
""",
    "object.__new__": """
class Options:
    def __new__(cls):
        made = object.__new__(cls)
        made.loud = True
        return made

def net(x):
    if not Options().loud:
        print("quiet")
    if Options().loud:
        print("loud")  # breaks
    return x
""",
    "metaclass": """
class Meta(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.finish()
        return made

class Net(nn.Module, metaclass=Meta):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def finish(self):
        self.is_large = self.size > 2

    def forward(self, x):
        if not self.is_large:
            print("small")
        if self.is_large:
            print("large")  # breaks
        return x

net = Net(3)
""",
    "metaclass of an object in the region": """
class Meta(type):
    def __call__(cls):
        print("not traced")
        return super().__call__()

class Options(metaclass=Meta):
    size = 3

def net(x):
    return x * Options().size
""",
    "descriptor": """
class Flag:
    def __init__(self, value):
        self.value = value

    def __get__(self, owner, cls):
        return self.value

class Net(nn.Module):
    loud, quiet = Flag(True), Flag(False)

    def forward(self, x):
        if self.quiet:
            print("quiet")
        if self.loud:
            print("loud")  # breaks
        return x

net = Net()
""",
    "descriptor that breaks": """
class Size:
    def __get__(self, owner, cls):
        print("asked")  # breaks
        return 3

class Net(nn.Module):
    size = Size()

    def forward(self, x):
        return x * self.size

net = Net()
""",
    "descriptor with a name": """
class Option:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, cls):
        return getattr(owner, self.name)

    def __set__(self, owner, value):
        setattr(owner, self.name, value)

class Options:
    loud = Option()
    quiet = Option()

    def __init__(self):
        self.loud = True
        self.quiet = False

options = Options()

def net(x):
    if options.quiet:
        print("quiet")
    if options.loud:
        print("loud")  # breaks
    return x
""",
    "property from functions": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self._mode = "quiet"

    def get_mode(self):
        return self._mode

    def set_mode(self, value):
        self._mode = value

    mode = property(get_mode, set_mode)

    def forward(self, x):
        if self.mode == "quiet":
            print("quiet")
        if self.mode == "loud":
            print("loud")  # breaks
        return x

net = Net()
net.mode = "loud"
""",
    "setattr in the region": """
class State:
    def __setattr__(self, name, value):
        print("stored")  # breaks
        object.__setattr__(self, name, value)

state = State()

def net(x):
    state.last = 3
    return x
""",
    "class decorator": """
def logged(cls):
    original = cls.forward

    def forward(self, x):
        print("called")  # breaks
        return original(self, x)

    cls.forward = forward
    return cls

@logged
class Net(nn.Module):
    def forward(self, x):
        return x

net = Net()
""",
    "class decorator that keeps what breaks": """
def doubled(cls):
    original = cls.forward

    def forward(self, x):
        return original(self, x) * 2

    cls.forward = forward
    return cls

@doubled
class Net(nn.Module):
    def forward(self, x):
        print("called")  # breaks
        return x

net = Net()
""",
    "class decorator that derives": """
def loud(cls):
    class Derived(cls):
        def forward(self, x):
            print("called")  # breaks
            return super().forward(x)
    return Derived

@loud
class Net(nn.Module):
    def forward(self, x):
        return x

net = Net()
""",
    "bound by hand": """
def inner(self, x):
    print("called")  # breaks
    return x

class Net(nn.Module):
    def forward(self, x):
        return self.inner(x)

    def inner(self, x):
        return x

net = Net()
net.inner = inner.__get__(net, Net)
""",
    "enum": """
class Mode(enum.Enum):
    LOUD = "loud"
    QUIET = "quiet"

    @property
    def is_quiet(self):
        return self is Mode.QUIET

    def call(self, x):
        if self.is_quiet or self.value == "quiet" or self.name == "QUIET" or self == Mode.QUIET:
            print("quiet")
        if self is Mode.LOUD:
            print("loud")  # breaks
        return x

mode = Mode("loud")

def net(x):
    return mode.call(x)
""",
    "enum.auto": """
class Kind(enum.IntEnum):
    FIRST = enum.auto()
    SECOND = enum.auto()

kind = Kind["SECOND"]

def net(x):
    if kind == 1:
        print("first")
    if kind == Kind.SECOND:
        print("second")  # breaks
    return x
""",
    "named tuple": """
class Options(NamedTuple):
    loud: bool = False
    quiet: bool = False

options = Options()._replace(loud=True)

def net(x):
    loud, quiet = options
    if quiet or options.quiet:
        print("quiet")
    if loud:
        print("loud")  # breaks
    return x
""",
    "named tuple in the region": """
class Options(NamedTuple):
    loud: bool = True

def net(x):
    options = Options()._replace(loud=False)
    if options.loud or options._asdict()["loud"]:
        print("loud")
    if not options.loud:
        print("quiet")  # breaks
    return x
""",
    "dataclass": """
@dataclass
class Options:
    size: int = 3
    is_large: bool = field(init=False)

    def __post_init__(self):
        self.is_large = self.size > 5

options = replace(Options(), size=7)

def net(x):
    if not options.is_large:
        print("small")
    if options.is_large:
        print("large")  # breaks
    return x
""",
    "frozen dataclass": """
@dataclass(frozen=True)
class Options:
    size: int = 3

    def __post_init__(self):
        object.__setattr__(self, "is_large", self.size > 2)

options = Options()

def net(x):
    if not options.is_large:
        print("small")
    if options.is_large:
        print("large")  # breaks
    return x
""",
    "attributes of another object": """
class Options:
    def __init__(self):
        self.loud, self.quiet = True, False

class Net(nn.Module):
    def __init__(self, options):
        super().__init__()
        for name, value in vars(options).items():
            setattr(self, name, value)

    def forward(self, x):
        if self.quiet:
            print("quiet")
        if self.loud:
            print("loud")  # breaks
        return x

net = Net(Options())
""",
}
ATTRS = """
import attr
from attrs import define, field as attrs_field

@attr.s(auto_attribs=True)
class Options:
    loud: bool = True
    names: list = attr.ib(factory=list)
    size: int = attr.Factory(lambda: 3)

@attr.s
class Plain:
    quiet = attr.ib(default=False)

@define
class Defined:
    quiet: bool = attrs_field(default=False)
    derived: bool = attrs_field(init=False)

    def __attrs_post_init__(self):
        self.derived = self.quiet

options, plain, defined = Options(), Plain(), Defined()

def net(x):
    if plain.quiet or defined.derived or options.names or options.size != 3:
        print("quiet")
    if options.loud:
        print("loud")  # breaks
    return x
"""


def _marked(source: str) -> set[int]:
    return {number for number, line in enumerate(source.split("\n"), 1) if "# breaks" in line}


@pytest.mark.parametrize("name", NETS)
def test_hook(name: str) -> None:
    source = HEAD + NETS[name]
    assert {line for line, _ in breaks(source + "\ntorch.compile(net)(torch.ones(3))\n")} == _marked(source)


@pytest.mark.parametrize("name", NETS)
def test_dynamo_runs_the_hook(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_first_break(tmp_path, monkeypatch, HEAD + NETS[name], "net")


def test_fields_of_attrs() -> None:
    source = HEAD + ATTRS
    assert {line for line, _ in breaks(source + "\ntorch.compile(net)(torch.ones(3))\n")} == _marked(source)


def test_dynamo_reads_fields_of_attrs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("attrs")
    check_first_break(tmp_path, monkeypatch, HEAD + ATTRS, "net")
