"""Classes that are assumed to be compiled, and the values of their parameters without annotations."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

TEMPLATE = """\
from abc import ABC, abstractmethod

import torch
from torch import nn

class Potential(nn.Module, ABC):
    {method}

    def forward(self, x):
        return self.interaction(x) * 2

class Shifted(Potential):
    def __init__(self):
        super().__init__()
        self.register_buffer("shift", torch.zeros(1))

    def interaction(self, r):
        return r + self.shift.item()

class Renamed(Shifted):
    def name(self):
        print("never called")

class First(Potential):
    def interaction(self, r):
        return r + 1

class Second(Potential):
    def interaction(self, r):
        return r + 2

class Third(Potential):
    def interaction(self, r):
        return r + 3

class Fourth(Potential):
    def interaction(self, r):
        return r + 4
"""
WITHOUT_THE_LIBRARY = """\
from {library} import {base}
from torch import nn

class Task({base}):
    def __init__(self, config):
        super().__init__(config)
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        y = self.linear(x.to(self.device))
        self.log("y", y)
        if y.sum() > self.threshold:
            y = y + 1
        return y
"""
SIZES = """\
import torch
from torch import nn

class Block(nn.Module):
    def forward(self, x, {name}):
        {unpacked}
        b, _, c = x.shape
        return x.view(b, h, w, c)
"""


@pytest.mark.parametrize(
    "method",
    [
        "@abstractmethod\n    def interaction(self, r): ...",
        "def interaction(self, r):\n        raise NotImplementedError",
    ],
)
def test_a_class_that_implements_what_the_inherited_forward_calls(method: str) -> None:
    source = TEMPLATE.format(method=method)
    line = next(number for number, text in enumerate(source.split("\n"), 1) if "item()" in text)
    assert breaks(source) == [(line, "tensor-to-python")]


@pytest.mark.parametrize(
    ("library", "base"),
    [
        ("lightning.pytorch", "LightningModule"),
        ("pytorch_lightning", "LightningModule"),
        ("mmengine.model", "BaseModule"),
    ],
)
def test_modules_of_libraries_that_are_not_installed(library: str, base: str) -> None:
    source = WITHOUT_THE_LIBRARY.format(library=library, base=base)
    assert breaks(source) == [(12, "data-dependent-branch")]


def test_a_class_of_another_library_is_no_module() -> None:
    assert breaks(WITHOUT_THE_LIBRARY.format(library="somewhere", base="Base")) == []


@pytest.mark.parametrize(
    ("name", "unpacked", "found"),
    [
        ("pair", "h, w = pair", []),
        ("pair", "_, (h, w) = pair", []),
        ("pair", "rows, columns = pair; h = w = 2; x = x.view(rows, columns, -1)", []),
        ("pairs", "for pair in pairs: h, w = pair", []),
        ("pair", "h, w = torch.sin(pair)", [8]),
    ],
)
def test_what_is_unpacked_into_sizes_is_no_tensor(name: str, unpacked: str, found: list[int]) -> None:
    assert [line for line, _ in breaks(SIZES.format(name=name, unpacked=unpacked))] == found


UNPACKED = """\
from torch import nn

class Net(nn.Module):
    def __init__(self, embed):
        super().__init__()
        self.embed = embed

    def forward(self, x):
        x, h, w = self.embed(x)
        if h[0] > 0:
            x = x + 1
        return {result}
"""


@pytest.mark.parametrize(("result", "found"), [("x.view(1, h, w, -1)", []), ("x + w", [10])])
def test_what_an_unknown_module_returns_is_no_tensor_where_it_is_a_size(result: str, found: list[int]) -> None:
    assert [line for line, _ in breaks(UNPACKED.format(result=result))] == found


def test_items_of_a_tensor_are_tensors_also_where_they_are_sizes() -> None:
    source = UNPACKED.format(result="x.view(1, h, w, -1)").replace("x, h, w = self.embed(x)", "x, h, w = x[0]")
    assert [line for line, _ in breaks(source.replace("if h[0] > 0", "if h is not None"))] == [12]
