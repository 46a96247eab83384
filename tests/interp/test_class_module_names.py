"""The name of the module of a class: Dynamo has it as a constant for modules of torch, but not for builtin classes."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.interp.snippets import breaks, run_whole

HEAD = """
import torch
from torch import nn

layer = nn.Linear(3, 3)

def f(x: torch.Tensor):
    return x + 1 if """
CASES = {
    '"quanto" in type(layer).__module__': False,
    'type(layer).__module__.startswith("quanto")': False,
    'layer.__class__.__module__ == "quanto"': False,
    'type([1]).__module__.startswith("quanto")': True,
    '"quanto" in type(3).__module__': True,
    'type(3).__module__ == "quanto"': False,
    'type({}).__module__.startswith("quanto")': True,
    'type(None).__module__.startswith("quanto")': False,
    'int.__module__.startswith("quanto")': True,
}


@pytest.mark.parametrize(("test", "expected"), CASES.items())
def test_breaks(test: str, expected: bool) -> None:
    assert bool(breaks(f"{HEAD}{test} else x\n", "f")) is expected


@pytest.mark.parametrize(("test", "expected"), CASES.items())
def test_dynamo_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, test: str, expected: bool) -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(torch._dynamo.exc.Unsupported) if expected else nullcontext():
        run_whole(tmp_path, monkeypatch, f"{HEAD}{test} else x\n", "f")
