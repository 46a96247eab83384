"""A ``forward`` that code replaces under a condition: the finding is as sure as the condition."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.interp.snippets import breaks, confidences
from tests.oracle import dynamo

SOURCE = """
import sys
from torch import nn

class Net(nn.Module):
    def __init__(self, flag=False):
        super().__init__()
        self.flag = flag
    def forward(self, x):
        return x + 1

def logged(function):
    def new(x):
        print("call")
        return function(x)
    return new

def wrapped(module, flag):
    {condition}
        module.forward = logged(module.forward)
    return module

net = wrapped(Net(), len(sys.argv) > 5)

def f(x):
    return net(x)
"""


@pytest.mark.parametrize(("condition", "level"), [("if flag:", "likely"), ("if True:", "certain")])
def test_a_replaced_forward(condition: str, level: str) -> None:
    assert confidences(SOURCE.format(condition=condition), "f") == {14: level}


OBJECTS = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
    def forward(self, x):
        return self.linear(x)

def made():
    return Net()

plain, watched = made(), Net()
watched.linear.register_full_backward_hook(lambda module, given, out: None)

def f(x):
    return {name}(x)
"""


@pytest.mark.parametrize(("name", "lines"), [("plain", {}), ("watched", {10: "certain"})])
def test_objects_of_two_calls_are_two(name: str, lines: dict[int, str]) -> None:
    assert confidences(OBJECTS.format(name=name), "f") == lines


HOOKED = """
import functools
import os
import torch
from torch import nn

class Printing(nn.Module):
    def forward(self, x):
        print(x.shape)
        return x

class Plain(nn.Module):
    def forward(self, x):
        return x.sin()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Printing()
        self.second = Plain()
    def forward(self, x):
        return self.{called}(x)

def hook(module):
    old_forward = module.forward
    module.old_forward = old_forward

    def new_forward(module, *args, **kwargs):
        return module.old_forward(*args, **kwargs)

    module.forward = functools.update_wrapper(functools.partial(new_forward, module), old_forward)

def build():
    net = Net()
    for name in os.environ.get("HOOKED", "first second").split():
        hook(net.second if name == "second" else net.first)
    return net

compiled = torch.compile(build())
"""


@pytest.mark.parametrize(("called", "lines"), [("second", {}), ("first", {9: "certain"})])
def test_forward_of_one_module_is_not_stored_on_another(called: str, lines: dict[int, str]) -> None:
    assert confidences(HOOKED.format(called=called)) == lines


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("net.forward = torch.compile(net)", [6]),
        ("fast = torch.compile(net)\n    setattr(net, 'forward', fast)", [6]),
        ("net.forward = types.MethodType(quiet, net)\n    torch.compile(net)", []),
        ("net.forward = types.MethodType(loud, net)\n    torch.compile(net)", [13]),
        ("net.forward = lambda x: x + 1\n    torch.compile(net)", []),
        ("net.other = 1\n    torch.compile(net)", [6]),
    ],
)
def test_forward_stored_at_the_top_of_a_module(statement: str, lines: list[int]) -> None:
    source = f"""
    import torch, types

    class Net(torch.nn.Module):
        def forward(self, x):
            print(x)
            return x

    def quiet(self, x):
        return x + 1

    def loud(self, x):
        print(x)
        return x

    net = Net()
    {statement}
    net(torch.ones(3))
    """
    assert [line for line, _ in breaks(source)] == lines


MODULE_AS_FORWARD = """\
import torch


class Quiet(torch.nn.Module):
    def forward(self, x):
        return x + 1


class Net(torch.nn.Module):
    def forward(self, x):
        return x.sum().item()


net = Net()
net.forward = STORED


def f(x):
    y = x + 1
    return net(y)
"""


def test_module_that_is_stored_as_forward_is_a_submodule_as_dynamo_judges() -> None:
    """The ``forward`` of the class runs, as Dynamo shows."""
    source = MODULE_AS_FORWARD.replace("STORED", "Quiet()")
    (verdict,) = dynamo.verdicts([(source, "(torch.ones(3),)")])
    assert set(verdict.breaks) == {11}
    assert [line for line, _ in breaks(source, "f")] == [11]


@pytest.mark.parametrize("stored", ["torch.compile(Quiet())", "torch.compile(net)", "torch.compile(net.forward)"])
def test_compiled_object_that_is_stored_as_forward(stored: str) -> None:
    """A compiled module is a submodule, too; a compiled method runs."""
    assert [line for line, _ in breaks(MODULE_AS_FORWARD.replace("STORED", stored), "f")] == [11]


CHOSEN = """\
import torch

class One(torch.nn.Module):
    def forward(self, x):
        return x.sum().item()

class Two(torch.nn.Module):
    def forward(self, x):
        return x.nonzero()

NETS = {"one": One, "two": Two}

def compiled(module):
    out = module
    fast = torch.compile(module)
    setattr(out, "plain", out.forward)
    setattr(out, "forward", fast)
    return out

def make(name, **options):
    net = NETS[name](**options)
    if options.get("compiled", False):
        net = compiled(net)
    return net

def main(name):
    make(name, compiled=True)(torch.ones(3))
    make("one", compiled=True)(torch.ones(3))
"""


def test_one_of_several_modules_that_is_stored_as_its_own_forward() -> None:
    assert [line for line, _ in breaks(CHOSEN)] == [5, 9]


def test_attributes_stored_at_the_top_of_a_module() -> None:
    source = """
    import torch

    class Config:
        def __init__(self):
            self.loud = False
            self.layers = []

        def add(self, layer):
            self.layers.append(layer)

    class Net(torch.nn.Module):
        def __init__(self, config):
            super().__init__()
            self.config = config

        def forward(self, x):
            if self.config.loud:
                print(x)
            for layer in self.config.layers:
                x = layer(x)
            return x

    config = Config()
    config.add(lambda x: x + x.sum().item())
    config.loud = True
    net = Net(config)
    torch.compile(net)(torch.ones(3))
    """
    assert [line for line, _ in breaks(source)] == [19, 25]


AT_THE_FIRST_CALL = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.compiled = False

    def forward(self, x):
        if not self.compiled:
            self.forward = torch.compile(self.forward, mode="default")
            self.compiled = True
        return x + 1
"""


def test_a_forward_that_compiles_itself_does_so_eagerly(
    gblint: Callable[..., Any], project: Callable[..., Path]
) -> None:
    project({"m.py": AT_THE_FIRST_CALL})
    report = json.loads(gblint("check", "--output-format", "json").out)
    assert [each["name"] for each in report["entries"]] == ["m:Net.forward"]
    assert report["findings"] == []
