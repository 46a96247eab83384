"""Factory classes of a library, which choose another class by their argument."""

from __future__ import annotations

from pathlib import Path

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from tests.interp.snippets import breaks

LIBRARY = """\
import functools
import types

import torch
from torch import nn


class Config:
    sub_configs = {}

    def __init__(self, inner=None):
        self.inner = inner


class SmallConfig:
    pass


class Base(nn.Module):
    @classmethod
    def _from_config(cls, config, **kwargs):
        return cls(config, **kwargs)


class Small(Base):
    def __init__(self, config):
        super().__init__()

    def forward(self, x):
        return x * x.sum().item()


class _Auto:
    _mapping = None

    def __init__(self, *args):
        raise OSError("use from_config")

    @classmethod
    def from_config(cls, config, **kwargs):
        chosen = cls._mapping[type(config)]
        return chosen._from_config(config, **kwargs)


def copied(f):
    g = types.FunctionType(f.__code__, f.__globals__, name=f.__name__, argdefs=f.__defaults__)
    return functools.update_wrapper(g, f)


def update(cls):
    cls.from_config = classmethod(copied(_Auto.from_config))
    return cls


class AutoModel(_Auto):
    _mapping = {SmallConfig: Small}


AutoModel = update(AutoModel)
"""
MAIN = """\
import torch
from lib import AutoModel, SmallConfig


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = AutoModel.from_config(SmallConfig())

    def forward(self, x: torch.Tensor):
        return self.inner(x)


model = torch.compile(Net())
"""


def test_factory_creates_the_class_of_the_config(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "lib.py").write_text(LIBRARY)
    (tmp_path / "main.py").write_text(MAIN)
    project = Project([tmp_path / "main.py"], root=tmp_path, src=[tmp_path / "site"], follow=["lib"])
    m = new_interpreter(project, load("2.13"), {})
    found = trace(m, find_entries(m, []).entries)
    assert [each.event.function for each in found] == ["Small.forward"]


def test_getattr_is_not_asked_for_what_a_constructor_stores() -> None:
    source = """
        import torch
        class Engine(torch.nn.Module):
            def __init__(self, model=None):
                super().__init__()
                self._register(model)
                self.steps = self._make()
            def _register(self, model):
                self.__dict__["module"] = model
            def _make(self):
                self.verbose = False
                return 0
            def __getattr__(self, name):
                if name in dir(self):
                    return 3
                return super().__getattr__(name)
            def forward(self, x: torch.Tensor):
                return x + 1 if self.module.training or self.verbose or self.steps else x
    """
    assert breaks(source, "Engine") == []
