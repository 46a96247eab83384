"""Tables of classes that other modules register, from which a program chooses what it compiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.project import Project

REGISTRY = """
class Names:
    FIRST = "first"
    KIND = dict

MODELS = {}
LOSSES = {}
OTHERS = {}

def register(name):
    def wrap(cls):
        MODELS[name] = cls
        return cls
    return wrap

def make_register(registry, strict=False):
    def register(name=None):
        def wrap(cls):
            def add(key):
                registry[key] = cls
            add(name or cls.__name__)
            return cls
        return wrap
    return register

def make_nothing(registry):
    def register(name=None):
        return lambda cls: cls
    return register

register_loss = make_register(registry=LOSSES)
register_other = make_nothing(OTHERS)
"""
NETS = """
from torch import nn
from registry import Names, register, register_loss, register_other

@register(Names.FIRST)
class First(nn.Module):
    def forward(self, x):
        return x

@register("second")
class Second(nn.Module):
    def forward(self, x):
        return x

@register(Names.KIND)
class OfAnotherKind(nn.Module):
    def forward(self, x):
        return x

@register_loss()
class Loss(nn.Module):
    def forward(self, x):
        return x

@register_loss(Names.FIRST)
class FirstLoss(nn.Module):
    def forward(self, x):
        return x

@register_other("other")
class Other(nn.Module):
    def forward(self, x):
        return x
"""
TRAIN = """
import registry
import torch
from registry import LOSSES, MODELS, OTHERS

def main(name):
    torch.compile({made})
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("MODELS[name]()", {"First", "Second"}),
        ("MODELS['first']()", {"First"}),
        ("MODELS.get('second')()", {"Second"}),
        ("registry.MODELS[name]()", {"First", "Second"}),
        ("LOSSES[name]()", {"Loss", "FirstLoss"}),
        ("LOSSES['first']()", {"FirstLoss"}),
        ("registry.LOSSES.get(name)()", {"Loss", "FirstLoss"}),
        ("registry.LOSSES['Loss']()", {"Loss"}),
        ("OTHERS[name]()", set()),
        ("name.LOSSES[name]()", set()),
    ],
)
def test_registered_classes(made: str, expected: set[str], tmp_path: Path) -> None:
    (tmp_path / "registry.py").write_text(REGISTRY)
    (tmp_path / "nets.py").write_text(NETS)
    (tmp_path / "train.py").write_text(TRAIN.format(made=made))
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    search = find_entries(interp, assume="never")
    assert {entry.point.name.removeprefix("nets:") for entry in search.entries} == expected
    assert bool(search.unresolved) == (not expected)


BUILDER = """
import torch
from torch import nn
from absent import Config, Registry

MODELS = Registry("model")

@MODELS.register_module("net")
class Net(nn.Module):
    def forward(self, x):
        return x

def build_module(module: dict | nn.Module, builder: Registry) -> nn.Module | None:
    if module is None:
        return None
    if isinstance(module, dict):
        return builder.build(dict(module))
    if isinstance(module, nn.Module):
        return module
    raise TypeError(module)

def parse() -> Config:
    return Config.fromfile("net.py")

def main():
    torch.compile(build_module(parse().net, MODELS))
"""


def test_a_function_that_builds_from_a_registry_or_passes_a_module_on(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(BUILDER)
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    search = find_entries(interp, assume="never")
    assert [entry.point.name for entry in search.entries] == ["m:Net"]
