"""Tensors and generators as arguments of operators that take numbers."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from tests.interp.snippets import breaks

PROGRAM = """
import math, operator, torch
import torch.nn.functional as F

@torch.compile{options}
def f(x: torch.Tensor, g: torch.Generator):
    n = x.sum()
    size = x.shape[0]
    return {expression}
"""


def kinds(expression: str, options: str = "") -> list[str]:
    return [kind for line, kind in breaks(PROGRAM.format(expression=expression, options=options)) if line == 9]


@pytest.mark.parametrize(
    "expression",
    [
        "x.view(n, -1)",
        "x.reshape((2, n))",
        "x.expand(4, n)",
        "x.repeat(n)",
        "x.topk(n)",
        "x.topk(k=n)",
        "x.narrow(0, n, 2)",
        "torch.zeros(n)",
        "torch.zeros(size=(n, 2))",
        "torch.arange(n)",
        "torch.arange(0, n)",
        "torch.full((n,), 1.0)",
        "torch.add(x, x, alpha=n)",
        "x.add(x, alpha=n)",
        "x.new_full((2,), n)",
        "F.pad(x, (0, n))",
        "F.interpolate(x, size=(n, n))",
        "x.split([n, n])",
        "math.sqrt(n)",
        "operator.index(n)",
        "x.clamp(min=n, max=1.0)",
        "torch.clamp(x, 0, n)",
        "'%s' % n",
    ],
)
def test_tensor_for_a_number(expression: str) -> None:
    assert kinds(expression) == ["tensor-to-python"]


@pytest.mark.parametrize(
    "expression",
    [
        "torch.full((2,), n)",
        "torch.clamp(x, min=n)",
        "torch.clamp(x, n, n + 1)",
        "torch.lerp(x, x, n)",
        "x.masked_fill(x > 0, n)",
        "x.clone().fill_(n)",
        "torch.where(x > 0, n, 0.0)",
        "torch.pow(n, x)",
        "torch.zeros(size)",
        "x.view(size, -1)",
        "x.view(torch.int32)",
        "math.sqrt(size)",
        "torch.max(x, n)",
    ],
)
def test_tensor_where_one_is_taken(expression: str) -> None:
    assert kinds(expression) == []


PADS = """
import torch
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("given", torch.tensor(2))

    def forward(self, x):
        computed = self.given + x.shape[-1] - 3
        return F.pad(x, {pads})

net = torch.compile(Net(), backend="eager")
"""
# Dynamo reads an integer that comes in by a guard, one that is computed not.
BREAKING_PADS = ("(0, computed)", "(computed, 0)", "(self.given, computed)", "[computed, self.given]")
CLEAN_PADS = ("(self.given, 0)", "(0, self.given)", "(self.given, self.given)")


@pytest.mark.parametrize("pads", [*BREAKING_PADS, *CLEAN_PADS])
def test_each_item_of_a_sequence_of_numbers(pads: str) -> None:
    found = [kind for _, kind in breaks(PADS.format(pads=pads), "net")]
    assert found == (["tensor-to-python"] if pads in BREAKING_PADS else [])


@pytest.mark.parametrize("pads", [*BREAKING_PADS, *CLEAN_PADS])
def test_each_item_of_a_sequence_of_numbers_under_dynamo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pads: str
) -> None:
    torch = pytest.importorskip("torch")
    (tmp_path / "padding_snippet.py").write_text(PADS.format(pads=pads))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "padding_snippet", raising=False)
    module = importlib.import_module("padding_snippet")
    torch._dynamo.reset()
    explained = torch._dynamo.explain(module.Net())(torch.ones(1, 3))
    assert bool(explained.break_reasons) == (pads in BREAKING_PADS)


def test_captured_scalars() -> None:
    assert kinds("torch.zeros(n)", "(fullgraph=True)") == []


def test_generators() -> None:
    assert kinds("torch.randn(4, generator=g)") == ["call"]
    assert kinds("torch.randn(4, generator=None)") == []


def test_leaves_made_in_the_region() -> None:
    assert kinds("torch.zeros(4, requires_grad=True)") == ["autograd"]
    assert kinds("torch.zeros(4, requires_grad=False)") == []


def test_data_pointers() -> None:
    assert kinds("x if x.data_ptr() == n.data_ptr() else n") == ["tensor-method"]
    assert kinds("x if x.data_ptr() == x.data_ptr() else n") == []
    assert kinds("x, {x.data_ptr(): 1}") == []


FLOAT_HEADS = """\
import torch

class Attention(torch.nn.Module):
    def __init__(self, heads: float = 8):
        super().__init__()
        self.heads = heads

    def forward(self, x):
        return x.view(1, self.heads, -1)

class Net(torch.nn.Module):
    def __init__(self, args):
        super().__init__()
        self.attention = Attention(args.heads)

    def forward(self, x):
        return self.attention(x)
"""


def test_a_number_that_may_be_a_fraction_is_no_wrong_integer() -> None:
    """Fairseq annotates a number of heads as float."""
    assert breaks(FLOAT_HEADS, "Net") == []
    assert breaks(FLOAT_HEADS.replace("self.heads, -1", "0.5, -1"), "Net") == [(9, "tensor-argument")]
