"""Calls of attributes that hold compiled objects tell what the parameters are, like calls of variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project

HEAD = """\
import contextlib
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x, loud=False):
        if loud:
            print("loud")
        return x.nonzero() if x.shape[0] == 7 else x

"""
PRINT = 8
CASES = {
    "in-the-constructor": """
class Trainer:
    def __init__(self):
        self.net = torch.compile(Net())

    def step(self, batch):
        return self.net(batch["x"], {arguments})
""",
    "by-its-own-method": """
class Trainer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()
        self.net.compile()

    def forward(self, batch):
        return self.net(batch["x"], {arguments})
""",
    "by-a-helper": """
def fast(net):
    return torch.compile(net)

class Trainer:
    def __init__(self):
        self.net = fast(Net())

    def step(self, batch):
        return self.net(batch["x"], {arguments})
""",
    "in-another-method": """
class Trainer:
    def __init__(self, net):
        self.net = net

    def setup(self):
        self.net = torch.compile(self.net)

    def step(self, batch):
        return self.net(batch["x"], {arguments})

Trainer(Net())
""",
}


def _reach(folder: Path, source: str) -> dict[int, str]:
    """Return how far the lines of a program that break are reached."""
    (folder / "m.py").write_text(HEAD + source)
    interp = new_interpreter(Project([folder], root=folder), load("2.13"), {})
    return {each.event.span.line: each.reach for each in trace(interp, find_entries(interp, assume="never").entries)}


@pytest.mark.parametrize("source", CASES.values(), ids=CASES)
def test_argument_of_a_call(tmp_path: Path, source: str) -> None:
    assert _reach(tmp_path, source.format(arguments="loud=True"))[PRINT] == "always"


@pytest.mark.parametrize("source", CASES.values(), ids=CASES)
def test_argument_that_no_call_passes(tmp_path: Path, source: str) -> None:
    assert PRINT not in _reach(tmp_path, source.format(arguments="loud=False"))


def test_attribute_that_other_modules_call(tmp_path: Path) -> None:
    """The calls in one module do not tell all arguments then."""
    (tmp_path / "other.py").write_text("def run(trainer, x):\n    return trainer.net(x, loud=True)\n")
    assert PRINT in _reach(tmp_path, CASES["in-the-constructor"].format(arguments="loud=False"))


PATCHED = """
class Trainer:
    def __init__(self):
        self.net = torch.compile(Net())
        self.on = True

    def patched(self):
        if self.on:
            return torch._dynamo.config.patch(capture_dynamic_output_shape_ops={on})
        return contextlib.nullcontext()

    def step(self, batch):
        with self.patched():
            return self.net(batch["x"])
"""


@pytest.mark.parametrize("on", [True, False])
def test_setting_around_the_call(tmp_path: Path, on: bool) -> None:
    assert bool(_reach(tmp_path, PATCHED.format(on=on))) is not on
