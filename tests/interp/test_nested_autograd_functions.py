"""Autograd functions that call others: gradients are recorded neither in ``forward`` nor in ``backward``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break, confidences

_SCALE = """\
import torch

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        print("backward")
        return gradient * 2

"""

IN_BACKWARD = (
    _SCALE
    + """\
class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, gradient):
        return Scale.apply(gradient)

def net(x):
    return Outer.apply(x)
"""
)

IN_FORWARD = (
    _SCALE
    + """\
class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return Scale.apply(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2

def net(x):
    return Outer.apply(x)
"""
)

WITH_GRADIENTS = (
    _SCALE.replace('print("backward")', 'print("backward")  # breaks')
    + """\
class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            return Scale.apply(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2

def net(x):
    return Outer.apply(x)
"""
)

MUTUAL = """\
import torch

class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return Scatter.apply(gradient)

class Scatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x / 2

    @staticmethod
    def backward(ctx, gradient):
        return Gather.apply(gradient)

def net(x):
    return Gather.apply(x)
"""

PROGRAMS = {"in backward": IN_BACKWARD, "in forward": IN_FORWARD, "mutual": MUTUAL}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_code_without_gradients_has_no_backward(source: str) -> None:
    assert confidences(source, "net") == {}


def test_backward_is_traced_where_forward_records_gradients() -> None:
    assert breaks(WITH_GRADIENTS, "net") == [(10, "call")]


@pytest.mark.parametrize("source", [*PROGRAMS.values(), WITH_GRADIENTS], ids=[*PROGRAMS, "with gradients"])
def test_dynamo_traces_no_backward_in_an_autograd_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    check_first_break(tmp_path, monkeypatch, source, "net")
