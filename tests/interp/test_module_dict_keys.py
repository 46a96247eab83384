"""Keys of a ``ModuleDict`` and of a ``ParameterDict``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, run_whole

SOURCE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({{"a": nn.Linear(3, 3)}})
        self.heads["b"] = nn.Linear(3, 3)
        self.scales = nn.ParameterDict({{"a": nn.Parameter(torch.ones(3))}})

    def forward(self, x):
        if {test}:
            print("reached")
        return x

net = Net()
torch.compile(net)
"""
REACHED = ("'a' in self.heads", "'b' in self.heads", "'c' not in self.heads", "'a' in self.scales")
NOT_REACHED = ("'c' in self.heads", "'a' not in self.heads", "'c' in self.scales")


@pytest.mark.parametrize("test", REACHED)
def test_key_that_is_there(test: str) -> None:
    assert breaks(SOURCE.format(test=test)) == [(14, "call")]


@pytest.mark.parametrize("test", NOT_REACHED)
def test_key_that_is_not_there(test: str) -> None:
    assert breaks(SOURCE.format(test=test)) == []


@pytest.mark.parametrize("test", REACHED)
def test_dynamo_takes_the_branch(test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dynamo = pytest.importorskip("torch._dynamo")
    with pytest.raises(dynamo.exc.Unsupported, match="print"):
        run_whole(tmp_path, monkeypatch, SOURCE.format(test=test), "net")


@pytest.mark.parametrize("test", NOT_REACHED)
def test_dynamo_leaves_the_branch_out(test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_whole(tmp_path, monkeypatch, SOURCE.format(test=test), "net")
