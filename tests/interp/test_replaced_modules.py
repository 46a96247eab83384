"""Submodules that a loop replaces by other modules before the model is compiled."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

SOURCE = """
import torch
from torch import nn

class Around(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
    def forward(self, x):
        y = self.base(x)
        self.norm = float(y.norm())
        return y

class Instead(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
    def forward(self, x):
        if x.sum() > 0:
            return x * self.weight
        return x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(2))
        self.norm = nn.LayerNorm(2)
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)

def named_modules(model):
    for name, module in list(model.named_modules()):
        if isinstance(module, nn.Linear):
            parent_name, _, child = name.rpartition(".")
            parent = model.get_submodule(parent_name) if parent_name else model
            setattr(parent, child, {new})

def named_children(model):
    for name, module in model.named_children():
        if isinstance(module, nn.Linear):
            new = {new}
            setattr(model, name, new)
        else:
            named_children(module)

def main():
    net = Net()
    {loop}(net)
    torch.compile(net)(torch.ones(2, 2))
"""


@pytest.mark.parametrize("loop", ["named_modules", "named_children"])
def test_the_new_module_is_called(loop: str) -> None:
    assert breaks(SOURCE.format(new="Around(module)", loop=loop)) == [(11, "tensor-to-python")]
    assert breaks(SOURCE.format(new="Instead(module.out_features)", loop=loop)) == [(19, "data-dependent-branch")]
    assert breaks(SOURCE.format(new="nn.Identity()", loop=loop)) == []


def test_at_the_top_of_a_script() -> None:
    source = SOURCE.format(new="Around(module)", loop="named_modules")
    top = source.replace("def main():\n", "").replace("    net = Net()", "net = Net()")
    top = top.replace("    named_modules(net)\n    torch", "named_modules(net)\ntorch")
    assert breaks(top) == [(11, "tensor-to-python")]
    assert breaks(top.replace("\nnamed_modules(net)", "")) == []


def test_other_modules_stay() -> None:
    source = SOURCE.replace("nn.LayerNorm(2)", "Instead(2)").format(new="Around(module)", loop="named_modules")
    assert breaks(source) == [(11, "tensor-to-python"), (19, "data-dependent-branch")]


def test_modules_that_are_stored_again_replace_none() -> None:
    held = "Around(nn.Linear(2, 2)); self.unused = Instead(2)"
    source = SOURCE.replace("nn.LayerNorm(2)", held).replace("isinstance(module, nn.Linear)", "name")
    assert breaks(source.format(new="module", loop="named_modules")) == [(11, "tensor-to-python")]
