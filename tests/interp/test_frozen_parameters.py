"""Parameters that the program freezes before it compiles, and calls of what is compiled below ``torch.no_grad()``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import check_first_break, confidences

SOURCE = """
import torch
from torch import nn

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        print("backward")
        return gradient

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.ones(3))
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        if self.{parameter}.requires_grad:
            print("trained")
        if not self.{parameter}.requires_grad:
            print("frozen")
        return self.layer(x) * self.first

net = Net()
{statement}
"""
# The statements after which the first parameter, or the weight of the layer, requires no gradient.
FREEZING = [
    ("first", "net.requires_grad_(False)"),
    ("first", "net.first.requires_grad_(False)"),
    ("first", "net.first.requires_grad = False"),
    ("first", "for p in net.parameters(): p.requires_grad = False"),
    ("first", "for p in net.parameters(): p.requires_grad_(False)"),
    ("first", "for p in net.parameters():\n    p.requires_grad_(requires_grad=False)"),
    ("layer.weight", "net.requires_grad_(False)"),
    ("layer.weight", "net.layer.requires_grad_(False)"),
    ("layer.weight", "net.layer.weight.requires_grad_(False)"),
    ("layer.weight", "for p in net.layer.parameters(): p.requires_grad = False"),
]
TRAINED = [
    ("first", "net.layer.requires_grad_(False)"),
    ("first", "net.requires_grad_(False); net.requires_grad_(True)"),
    ("layer.weight", "net.first.requires_grad_(False)"),
    ("layer.weight", "net.requires_grad_(False); net.layer.requires_grad_()"),
]
CALL = "torch.compile(net)(torch.ones(3))\n"


def _line(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.split("\n"), 1) if text in line)


@pytest.mark.parametrize(("parameter", "statement"), FREEZING)
def test_branch_for_frozen_parameters(parameter: str, statement: str) -> None:
    source = SOURCE.format(parameter=parameter, statement=statement)
    found = confidences(source + CALL)
    assert found == {_line(source, '"trained"'): "likely", _line(source, '"frozen"'): "certain"}


@pytest.mark.parametrize(("parameter", "statement"), TRAINED)
def test_branch_for_trained_parameters(parameter: str, statement: str) -> None:
    source = SOURCE.format(parameter=parameter, statement=statement)
    found = confidences(source + CALL)
    assert found.pop(_line(source, '"trained"')) == "certain"
    assert found in ({}, {_line(source, '"frozen"'): "likely"})


@pytest.mark.parametrize(("parameter", "statement"), [*FREEZING, *TRAINED])
def test_dynamo_takes_the_same_branch(
    parameter: str, statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = "frozen" if (parameter, statement) in FREEZING else "trained"
    source = SOURCE.format(parameter=parameter, statement=statement)
    check_first_break(tmp_path, monkeypatch, source.replace(f'print("{taken}")', "print()  # breaks"), "net")


APPLIED = SOURCE.replace("return self.layer(x) * self.first", "return Scale.apply(self.first)").replace(
    "if self.{parameter}.requires_grad:", "if x is None:"
)


@pytest.mark.parametrize(("statement", "level"), [("net.requires_grad_(False)", None), ("", "certain")])
def test_backward_of_frozen_parameter_is_not_traced(statement: str, level: str | None) -> None:
    source = APPLIED.replace("if not self.{parameter}.requires_grad:", "if x is None:").format(statement=statement)
    assert confidences(source + CALL).get(_line(source, '"backward"')) == level


@pytest.mark.parametrize("statement", ["net.requires_grad_(False)", ""])
def test_dynamo_traces_backward_of_trained_parameter(
    statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = APPLIED.replace("if not self.{parameter}.requires_grad:", "if x is None:").format(statement=statement)
    marked = source if statement else source.replace('print("backward")', "print()  # breaks")
    check_first_break(tmp_path, monkeypatch, marked, "net")


MODE = """
import torch

def net(x):
    if torch.is_grad_enabled():
        print("enabled")
    if not torch.is_grad_enabled():
        print("disabled")
    return x

compiled = torch.compile(net)

def run(x):
    with {manager}:
        return compiled(x)

run(torch.ones(3))
"""


@pytest.mark.parametrize(("manager", "more", "usual"), [
    ("torch.no_grad()", "", "disabled"),
    ("torch.set_grad_enabled(False)", "", "disabled"),
    ("torch.enable_grad()", "", "enabled"),
    ("torch.no_grad()", "compiled(torch.ones(3))\n", "enabled"),
])  # fmt: skip
def test_mode_around_all_calls(manager: str, more: str, usual: str) -> None:
    source = MODE.format(manager=manager) + more
    found = confidences(source)
    other = "enabled" if usual == "disabled" else "disabled"
    assert found == {_line(source, f'"{usual}"'): "certain", _line(source, f'"{other}"'): "likely"}


@pytest.mark.parametrize("is_enabled", [False, True])
def test_dynamo_is_in_the_mode_of_the_caller(is_enabled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    source = MODE.partition("\ncompiled")[0]
    taken = '"enabled"' if is_enabled else '"disabled"'
    with torch.set_grad_enabled(is_enabled):
        check_first_break(tmp_path, monkeypatch, source.replace(f"print({taken})", "print()  # breaks"), "net")
