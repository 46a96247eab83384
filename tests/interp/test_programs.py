"""Whole programs: gblint finds the lines that are marked, and Dynamo breaks there and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, lines_where_dynamo_breaks, marked_lines

HEAD = """
import contextlib, importlib
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.loud = False
        self.record = None

    def forward(self, x):
        x = self.linear(x)
        if self.loud:
            print("loud")$LOUD
        if self.record is not None:
            self.record.append(x.sum().item())$RECORD
        return x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.blocks = nn.ModuleList([Block() for _ in range(2)])

    def forward(self, x):
        x = self.block(x)
        for each in self.blocks:
            x = each(x)
        return x

def reading(module, args, result):
    result.mean().item()$HOOK

x = torch.ones(2, 3)
"""
PROGRAMS = {
    "context-manager": (
        "LOUD",
        """
@contextlib.contextmanager
def loud(block):
    old = block.loud
    block.loud = True
    try:
        yield block
    finally:
        block.loud = old

block = Block()
compiled = torch.compile(block)
compiled(x)
with loud(block):
    compiled(x)
""",
    ),
    "exit-stack": (
        "RECORD",
        """
class recording:
    def __init__(self, block):
        self.block = block
    def __enter__(self):
        self.block.record = []
        return self.block.record
    def __exit__(self, *error):
        self.block.record = None

def main():
    net = Net()
    compiled = torch.compile(net)
    compiled(x)
    with contextlib.ExitStack() as stack:
        stack.enter_context(recording(net.block))
        compiled(x)

main()
""",
    ),
    "flag-for-one-call": (
        "LOUD",
        """
net = Net()
compiled = torch.compile(net)
compiled(x)
net.block.loud = True
compiled(x)
net.block.loud = False
compiled(x)
""",
    ),
    "flag-before-the-calls": (
        "",
        """
net = Net()
net.block.loud = True
compiled = torch.compile(net)
net.block.loud = False
compiled(x)
""",
    ),
    "apply": (
        "LOUD",
        """
def enable(module):
    if isinstance(module, Block):
        module.loud = True

net = Net()
net.apply(enable)
torch.compile(net)(x)
""",
    ),
    "apply-to-others": (
        "",
        """
def enable(module):
    if isinstance(module, nn.Linear):
        module.loud = True

net = Net()
net.apply(enable)
torch.compile(net)(x)
""",
    ),
    "hook-of-named-part": (
        "HOOK",
        """
net = Net()
dict(net.named_modules())["blocks.1"].register_forward_hook(reading)
torch.compile(net)(x)
""",
    ),
    "hook-of-submodule": (
        "HOOK",
        """
net = Net()
net.get_submodule("block").register_forward_hook(reading)
torch.compile(net)(x)
""",
    ),
    "hook-of-attribute": (
        "HOOK",
        """
net = Net()
getattr(net, "block").register_forward_hook(reading)
torch.compile(net)(x)
""",
    ),
    "registry-of-subclasses": (
        "",
        """
NETS, ORDER = {}, []
class Base(nn.Module):
    def __init_subclass__(cls, name="", **kwargs):
        super().__init_subclass__(**kwargs)
        NETS[name or cls.__name__.lower()] = cls
        ORDER.append(cls)

class First(Base, name="one"):
    def forward(self, x):
        return x

class Second(First):
    def forward(self, x):
        print("second")  # breaks
        return x

class Third(First):
    def forward(self, x):
        return x * x.sum().item()  # breaks

def build(name):
    return NETS[name]()

torch.compile(build("second"))(x)
torch.compile(ORDER[-1]())(x)
""",
    ),
    "class-decorator": (
        "",
        """
def compiled(cls):
    cls.forward = torch.compile(cls.forward)
    return cls

@compiled
class Scale(nn.Module):
    def forward(self, x, n):
        if n > 3:  # breaks
            x = x + 1
        return x

def main():
    scale = Scale()
    scale(x, torch.tensor(4))

main()
""",
    ),
    "method-of-class": (
        "",
        """
class Scale(nn.Module):
    def step(self, x, n):
        if n > 3:  # breaks
            x = x + 1
        return x

Scale.step = torch.compile(Scale.step)
scale = Scale()
scale.step(x, torch.tensor(4))
""",
    ),
    "target-in-parts": (
        "LOUD",
        """
def instantiate(config, **kwargs):
    if isinstance(config, (list, tuple)):
        return [instantiate(each) for each in config]
    package, _, name = config["_target_"].rpartition(".")
    cls = getattr(importlib.import_module(package), name)
    return cls(**{key: value for key, value in config.items() if key != "_target_"}, **kwargs)

block = instantiate({"_target_": __name__ + ".Block"})
block.loud = True
torch.compile(block)(x)
""",
    ),
}


def _source(name: str) -> str:
    broken, program = PROGRAMS[name]
    head = HEAD
    for each in ("LOUD", "RECORD", "HOOK"):
        head = head.replace(f"${each}", "  # breaks" if each == broken else "")
    return head + program


@pytest.mark.parametrize("name", PROGRAMS)
def test_gblint_finds_the_lines_that_break(name: str) -> None:
    source = _source(name)
    assert sorted({line for line, _ in breaks(source)}) == marked_lines(source)


@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_breaks_at_these_lines(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = _source(name)
    assert lines_where_dynamo_breaks(tmp_path, monkeypatch, source) == marked_lines(source)
