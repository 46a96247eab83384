"""Whether a tensor requires a gradient, where the code around the region says so."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from tests.interp.snippets import confidences, run_whole

ONE_SIDE = """
import torch

def without(x, y):
    print("no gradient")
    return x + y

def f(x, y):
    if {test}:
        return without(x, y)
    return x * y

def main():
    {inputs}
    return torch.compile(f, backend="eager", fullgraph=True)(x, y)
"""
NOT_HERE = "not torch.is_grad_enabled()"  # false in this program, true in others
# The test, the statements that make the inputs, and the confidence of a break where the test is true. It is only likely
# where nothing says that the test is true.
CASES = [
    ("not x.requires_grad", "x, y = torch.ones(3, requires_grad=True), torch.ones(3)", None),
    ("not x.requires_grad", "x = y = torch.ones(3).requires_grad_()", None),
    ("not x.requires_grad", "x, y = torch.ones(3), torch.ones(3); x.requires_grad_(True)", None),
    ("not x.requires_grad", "x, y = torch.ones(3), torch.ones(3); x.requires_grad = True", None),
    ("not any(t.requires_grad for t in (x, y))", "x, y = torch.ones(3, requires_grad=True), torch.ones(3)", None),
    ("all(t.requires_grad is False for t in (x, y))", "x = y = torch.ones(3, requires_grad=True)", None),
    ("not (y.requires_grad or x.requires_grad)", "x, y = torch.ones(3, requires_grad=True), torch.ones(3)", None),
    ("x.requires_grad", "x, y = torch.ones(3, requires_grad=True), torch.ones(3)", "certain"),
    ("not x.requires_grad", "x = torch.ones(3, requires_grad=True); y = x; x.requires_grad_(False)", "certain"),
    ("not x.requires_grad", "x = y = torch.ones(3, requires_grad=True).detach()", "likely"),
    ("not x.requires_grad", "x, y = torch.ones(3), torch.ones(3)", "likely"),
    (NOT_HERE, "x, y = torch.ones(3), torch.ones(3)", "likely"),
]


def _line(source: str) -> int:
    return source.split("\n").index('    print("no gradient")') + 1


@pytest.mark.parametrize(("test", "inputs", "expected"), CASES)
def test_branch_on_requires_grad(test: str, inputs: str, expected: str | None) -> None:
    source = ONE_SIDE.format(test=test, inputs=inputs)
    assert confidences(source) == ({} if expected is None else {_line(source): expected})


@pytest.mark.parametrize(("test", "inputs", "expected"), CASES)
def test_dynamo_takes_the_same_branch(
    test: str, inputs: str, expected: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    (tmp_path / "gblint_gradients.py").write_text(ONE_SIDE.format(test=test, inputs=inputs))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "gblint_gradients", raising=False)
    module = importlib.import_module("gblint_gradients")
    torch._dynamo.reset()
    if expected is not None and test != NOT_HERE:
        with pytest.raises(torch._dynamo.exc.Unsupported):
            module.main()
    else:
        module.main()


PARAMETER = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        if not self.weight.requires_grad:
            print("no gradient")
        return x * self.weight

net = Net()
torch.compile(net)
"""


def test_frozen_parameter_needs_an_option() -> None:
    assert confidences(PARAMETER) == {11: "likely"}


@pytest.mark.parametrize("is_frozen", [False, True])
def test_dynamo_breaks_for_a_frozen_parameter(is_frozen: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    source = PARAMETER + f"net.requires_grad_({not is_frozen})\n"
    if is_frozen:
        with pytest.raises(torch._dynamo.exc.Unsupported):
            run_whole(tmp_path, monkeypatch, source, "net")
    else:
        run_whole(tmp_path, monkeypatch, source, "net")


MODE = """
import torch

def f(x):
    with torch.no_grad(), {manager}:
        if torch.is_grad_enabled():
            print("enabled")
    return x + 1

torch.compile(f)(torch.ones(3))
"""
MODES = [
    ("torch.no_grad()", False),
    ("torch.inference_mode()", False),
    ("torch.set_grad_enabled(False)", False),
    ("torch.enable_grad()", True),
    ("torch.set_grad_enabled(True)", True),
]


@pytest.mark.parametrize(("manager", "is_enabled"), MODES)
def test_modes_of_the_region(manager: str, is_enabled: bool) -> None:
    """The mode that a context manager of the region sets is the only one in it."""
    assert confidences(MODE.format(manager=manager)) == ({7: "certain"} if is_enabled else {})


@pytest.mark.parametrize(("manager", "is_enabled"), MODES)
def test_dynamo_is_in_the_same_mode(
    manager: str, is_enabled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    source = MODE.format(manager=manager).partition("\ntorch.compile")[0]
    if is_enabled:
        with pytest.raises(torch._dynamo.exc.Unsupported):
            run_whole(tmp_path, monkeypatch, source, "f")
    else:
        run_whole(tmp_path, monkeypatch, source, "f")
