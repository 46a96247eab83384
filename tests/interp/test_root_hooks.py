"""Hooks of the compiled module are called outside of Dynamo, those of its parts in the region."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from tests.interp.snippets import run_whole, ways

HEAD = """
import functools
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.part(x)

@torch.compiler.disable
def disabled(module, args, result):
    return result

@torch.compiler.disable
def disabled_before(module, args):
    return args

@torch.compiler.disable
def with_state(state, module, args, result):
    return result

def printing(module, args, result):
    print("called")
    return result

def backward(module, inputs, outputs):
    return None

class Owner:
    @torch.compiler.disable
    def method(self, module, args, result):
        return result

net = Net()
"""
CASES = {
    "disabled": ("net.register_forward_hook(disabled)", False),
    "disabled-before": ("net.register_forward_pre_hook(disabled_before)", False),
    "disabled-method": ("net.register_forward_hook(Owner().method)", False),
    "disabled-partial": ("net.register_forward_hook(functools.partial(with_state, 1))", False),
    "printing": ("net.register_forward_hook(printing)", True),
    "backward": ("net.register_full_backward_hook(backward)", False),
    "disabled-of-part": ("net.part.register_forward_hook(disabled)", True),
    "disabled-before-of-part": ("net.part.register_forward_pre_hook(disabled_before)", True),
    "backward-of-part": ("net.part.register_full_backward_hook(backward)", True),
}


@pytest.mark.parametrize(("line", "breaks"), CASES.values(), ids=CASES)
def test_breaks(tmp_path: Path, line: str, breaks: bool) -> None:
    (tmp_path / "m.py").write_text(f"{HEAD}{line}\ntorch.compile(net)(torch.ones(3))\n")
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    assert bool(trace(interp, find_entries(interp, assume="never").entries)) is breaks


@pytest.mark.parametrize(("line", "breaks"), CASES.values(), ids=CASES)
def test_dynamo_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, breaks: bool) -> None:
    torch = pytest.importorskip("torch")
    expected = pytest.raises(torch._dynamo.exc.Unsupported) if breaks else nullcontext()
    with expected:
        run_whole(tmp_path, monkeypatch, f"{HEAD}{line}\n", "net")


def test_condition_of_a_backward_hook() -> None:
    """The call of the module breaks under the condition under which the hook is registered."""
    source = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, offload=None):
            super().__init__()
            self.first = nn.Linear(3, 3)
            self.second = nn.Linear(3, 3)
            if offload is not None:
                self.first.register_full_backward_hook(print)
                self.second.register_full_backward_hook(print)
            self.second.register_full_backward_hook(print)

        def forward(self, x):
            x = self.first(x)
            return self.second(x)
    """
    assert ways(source, "Net") == {16: ("option", ["offload is not None holds"]), 17: ("always", [])}


def test_condition_in_an_expression_of_a_backward_hook() -> None:
    source = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, offload=None):
            super().__init__()
            self.first = nn.Linear(3, 3)
            self.second = nn.Linear(3, 3)
            offload is not None and self.first.register_full_backward_hook(print)
            self.handle = self.second.register_full_backward_hook(print) if offload else None

        def forward(self, x):
            x = self.first(x)
            return self.second(x)
    """
    found = ways(source, "Net")
    assert found[14] == ("option", ["offload is not None holds"])
    assert found[15] == ("option", ["offload holds"])
