"""Autograd functions that call others: gradients are recorded neither in ``forward`` nor in ``backward``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break, confidences


def _function(name: str, forward: str = "return x * 2", backward: str = "return gradient * 2") -> str:
    """Return the source of an autograd function, with the statements of its two methods."""
    return f"""
class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {forward}

    @staticmethod
    def backward(ctx, gradient):
        {backward}
"""


def _program(*functions: str) -> str:
    """Return a program that applies the function ``Outer``."""
    return "".join(("import torch\n", *functions, "\ndef net(x):\n    return Outer.apply(x)\n"))


_PRINTS = _function("Prints", backward="print(gradient.shape)")
PROGRAMS = {
    "in backward": _program(_PRINTS, _function("Outer", backward="return Prints.apply(gradient)")),
    "in forward": _program(_PRINTS, _function("Outer", forward="return Prints.apply(x)")),
    "mutual": _program(
        _function("Inner", backward="return Outer.apply(gradient)"),
        _function("Outer", backward="return Inner.apply(gradient)"),
    ),
}
WITH_GRADIENTS = _program(
    _PRINTS.replace("shape)", "shape)  # breaks"),
    _function("Outer", forward="with torch.enable_grad(): return Prints.apply(x)"),
)


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
