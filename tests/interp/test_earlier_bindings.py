"""Scripts and notebooks bind a name several times: what they compile is what the name stands for at that statement."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

HEAD = """\
import torch
from torch import nn

class A(nn.Module):
    def forward(self, x):
        return x + x.sum().item()

class B(nn.Module):
    def forward(self, x):
        return x + x.mean().tolist()

x = torch.ones(3)
"""
A, B = 6, 10  # the lines that break


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("model = A()\ncompiled = torch.compile(model)\nmodel = B()", [A]),
        ("model = A()\nmodel = B()\ncompiled = torch.compile(model)", [B]),
        ("model = A()\nmodel = torch.compile(model)\nmodel(x)\nmodel = B()\nmodel = torch.compile(model)", [A, B]),
        ("model = A()\nmodel.compile()\nmodel = B()\nmodel.compile()", [A, B]),
        ("model = A()\ncompiled = torch.compile(model)\nmodel = None", [A]),
        ("model = A()\nmodel = nn.Sequential(model)\ncompiled = torch.compile(model)\nmodel = B()", [A]),
        ("net = A()\nboth = nn.Sequential(net)\nnet = B()\ncompiled = torch.compile(both)", [A]),
        ("cls = A\nfor _ in range(2):\n    model = cls()\n    torch.compile(model)(x)\ncls = B\nmodel = cls()", [A]),
        ("model = B()\nfor cls in [A]:\n    model = cls()\n    model = torch.compile(model)\nmodel = None", [A]),
        ("if __name__ == '__main__':\n    model = A()\n    torch.compile(model)(x)\n    model = B()", [A]),
        # One of these is chosen where the program runs.
        ("try:\n    from fast import Model\nexcept ImportError:\n    Model = A\ntorch.compile(Model())(x)", [A]),
    ],
)
def test_value_at_the_statement(rest: str, expected: list[int]) -> None:
    assert [line for line, _ in breaks(HEAD + rest)] == expected


def test_function_that_is_defined_again() -> None:
    source = """\
    import torch

    def f(x):
        return x.sum().item()
    f = torch.compile(f)

    def f(x):
        return x.tolist()
    g = torch.compile(f)
    """
    assert [line for line, _ in breaks(source)] == [4, 8]


def test_many_bindings() -> None:
    lines = [f"model = nn.Sequential(model)\nx = x + {number}\n" for number in range(400)]
    before, after = "".join(lines[:30]), "".join(lines[30:])
    assert [line for line, _ in breaks(f"{HEAD}model = A()\n{before}torch.compile(model)(x)\n{after}")] == [A]


def test_chain_that_is_too_long_is_unknown() -> None:
    chain = "".join(f"a = b + {number}\nb = a * {number}\n" for number in range(100))
    assert [line for line, _ in breaks(f"{HEAD}b = x\n{chain}torch.compile(A())(a)\na = b = 3\n")] == [A]
