"""Submodules whose names are made in a loop: ``add_module(f"layer{i}", ...)`` and ``setattr(self, name, ...)``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break

_HEAD = """\
import torch
from torch import nn

class Unit(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.number = number

    def forward(self, x):
        print("unit")  # breaks
        return x

class First(nn.Module):
    def forward(self, x):
        return x + 1

"""

PROGRAMS = {
    "nested containers": """\
class Net(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.features = nn.Sequential()
        self.features.add_module("first", First())
        for i, stage_channels in enumerate(channels):
            stage = nn.Sequential()
            for j, number in enumerate(stage_channels):
                stage.add_module("unit{}".format(j + 1), Unit(number))
            self.features.add_module("stage{}".format(i + 1), stage)

    def forward(self, x):
        return self.features(x)
""",
    "container": """\
class Net(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.features = nn.Sequential()
        for i, number in enumerate(channels):
            self.features.add_module(f"unit{i}", Unit(number))

    def forward(self, x):
        for layer in self.features:
            x = layer(x)
        return x
""",
    "named ones at the end": """\
class Net(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.features = nn.Sequential()
        for i in range(len(channels)):
            self.features.add_module(f"first{i}", First())
        self.features.add_module("last", Unit(0))

    def forward(self, x):
        return self.features(x)
""",
    "dictionary": """\
class Net(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.parts = nn.ModuleDict()
        for i, number in enumerate(channels):
            self.parts.add_module(f"unit{i}", Unit(number))

    def forward(self, x):
        for layer in self.parts.values():
            x = layer(x)
        return x
""",
    "module": """\
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        for i in range(n):
            self.add_module(f"unit{i}", Unit(i))

    def forward(self, x):
        for i in range(self.n):
            x = getattr(self, f"unit{i}")(x)
        return x
""",
    "many of them": """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(30):
            self.add_module("unit" + str(i), Unit(i))

    def forward(self, x):
        return getattr(self, f"unit{len(x)}")(x)
""",
    "stored by name": """\
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        for i in range(n):
            setattr(self, f"unit{i}", Unit(i))

    def forward(self, x):
        return self.unit0(x)
""",
}
# What Dynamo's run gives to the constructors that do not take ``(1, 2)``.
ARGUMENTS = {"nested containers": "((1, 2), (3,))", "module": "2", "many of them": "", "stored by name": "2"}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_submodules_of_unknown_names_are_followed(program: str) -> None:
    assert breaks(_HEAD + program, "Net") == [(10, "call")]


@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_breaks_in_submodules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    made = f"\nnet = Net({ARGUMENTS.get(name, '(1, 2)')})\n"
    check_first_break(tmp_path, monkeypatch, _HEAD + PROGRAMS[name] + made, "net")


def test_another_attribute_is_not_one_of_the_submodules() -> None:
    source = (
        _HEAD
        + """\
class Net(nn.Module):
    def __init__(self, n, **options):
        super().__init__()
        for key, value in options.items():
            setattr(self, key, value)
        for i in range(n):
            setattr(self, f"first{i}", First())

    def forward(self, x):
        if not self.flag:
            print("no flag")
        return self.first0(x)
"""
    )
    assert breaks(source, "Net") == [(27, "call")]
