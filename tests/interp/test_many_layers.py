"""Models with more layers than gblint tells apart, and results that are a tuple or a tensor."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.values.lattice import MAX_OBJECTS
from tests.interp.snippets import breaks, check_first_break

LAYERS = """
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.number = number
    def forward(self, x):
        if self.number % 2:
            print(self.number)  # breaks
        return x
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = {made}
        for number in range({count}):
            {adds}
    def forward(self, x):
        for {target} in {read}:
            x = layer(x)
        return x
net = Net()
"""
LIST = ("nn.ModuleList()", "self.items.append(Block(number))")
TABLE = ("nn.ModuleDict()", "self.items[str(number)] = Block(number)")
WAYS = {
    "list": (*LIST, "layer", "self.items"),
    "children": (*LIST, "layer", "self.items.children()"),
    "values": (*TABLE, "layer", "self.items.values()"),
    "items": (*TABLE, "_, layer", "self.items.items()"),
}
UNPACKED = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, keeps: bool):
        super().__init__()
        self.keeps = keeps
    def layer(self, x):
        if self.keeps:
            return x, [x]
        return x
    def forward(self, x):
        result = self.layer(x)
        if self.keeps:
            x, kept = result
            if kept:
                x = x + 1
        return x
net = Net(True)
"""


def layers(way: str) -> str:
    made, adds, target, read = WAYS[way]
    return LAYERS.format(made=made, adds=adds, target=target, read=read, count=MAX_OBJECTS + 8)


@pytest.mark.parametrize("way", WAYS)
def test_the_layers_are_analysed(way: str) -> None:
    assert breaks(layers(way) + "torch.compile(net)(torch.ones(3))\n")


@pytest.mark.parametrize("way", WAYS)
def test_dynamo_breaks_in_the_layers(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_first_break(tmp_path, monkeypatch, layers(way), "net")


def test_a_tensor_beside_a_tuple_is_not_unpacked() -> None:
    assert breaks(UNPACKED, "Net") == []


def test_dynamo_unpacks_the_tuple(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_first_break(tmp_path, monkeypatch, UNPACKED, "net")
