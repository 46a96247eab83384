"""Numbers of tensors that Dynamo captures as symbols, where an operator needs their value."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, run_whole

SOURCE = """
import torch
import torch.nn.functional as F

@torch.compile(fullgraph=True, backend="eager")
def f(x):
    x = x.detach().expand(1, 4, 3)
    n = x.sum(dtype=torch.int32).item() - 11
    m = torch.arange(3)[1:].sum() - 2
    {checked}
    return {expression}
"""
BREAKING = (
    "F.softmax(x, n)",
    "x.sum(dim=(0, n))",
    "x.mean(m)",
    "torch.stack([x, x], n)",
    "x.transpose(n, 2)",
    "F.max_pool1d(x, n)",
    "F.avg_pool1d(x, 2, stride=m)",
    "F.conv1d(x, torch.ones(4, 4, 3), padding=n)",
    "x.chunk(n)[0]",
    "torch.linspace(0, 1, n)",
    "F.group_norm(x, n)",
    "F.one_hot(torch.arange(2), n + 1)",
    "x.flatten(n)",
    "x.movedim(n, 0)",
    "x.swapaxes(n, 0)",
    "F.conv1d(x, torch.ones(4, 4, 3), dilation=n)",
    "x.max(n)[0]",
    "torch.min(x, n)[0]",
    "x.unfold(2, n, 1)",
    "x.unfold(2, 1, n)",
    "torch.diagonal(x, n)",
    "torch.diag(x[0], n)",
    "torch.rot90(x, n, (1, 2))",
    "F.adaptive_avg_pool1d(x, n)",
    "F.adaptive_max_pool1d(x, n)",
    "x.split(n, 2)[0]",
    "torch.split(x, n, dim=2)[0]",
    "x.bernoulli(n)",
    "torch.vander(x[0, 0], n)",
    "torch.histc(x, n)",
)
STATED = SOURCE.format(expression="x.sum(n)", checked="torch._check(n == 1)")
CAPTURED = (
    "x.repeat(n, 1, 1)",
    "torch.zeros(n)",
    "x.narrow(2, n, 1)",
    "torch.roll(x, n, 2)",
    "x.tile((n,))",
    "x.split([n, 2], 2)[0]",
    "torch.triu(x, n)",
    "F.pad(x, (n, 0))",
    "x * n",
    'F.conv1d(x, torch.ones(4, 4, 3), padding="same")',
    "F.conv1d(x, torch.ones(4, 4, 3), padding=str('valid'))",
)
TEXTS = ("str(n)", "repr(n)", "str(x.sum().item())")


@pytest.mark.parametrize("expression", [*BREAKING, *TEXTS])
def test_operator_that_needs_the_value(expression: str) -> None:
    assert breaks(SOURCE.format(expression=expression, checked="")) == [(11, "tensor-to-python")]


def test_value_that_is_stated() -> None:
    assert breaks(STATED) == []


@pytest.mark.parametrize("expression", CAPTURED)
def test_operator_that_takes_a_symbol(expression: str) -> None:
    assert breaks(SOURCE.format(expression=expression, checked="")) == []


@pytest.mark.parametrize("source", [STATED, *(SOURCE.format(expression=each, checked="") for each in CAPTURED)])
def test_dynamo_traces_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    run_whole(tmp_path, monkeypatch, source, "f")


ERRORS = [
    *((each, "UserError", r"gblint_snippet\.py\", line 11, in f") for each in BREAKING),
    *((each, "Unsupported", "Failed to trace builtin operator|repr_impl not implemented") for each in TEXTS),
]


@pytest.mark.parametrize(("expression", "error", "message"), ERRORS)
def test_dynamo_needs_the_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expression: str, error: str, message: str
) -> None:
    dynamo = pytest.importorskip("torch._dynamo")
    source = SOURCE.format(expression=expression, checked="")
    with pytest.raises(getattr(dynamo.exc, error), match=message):
        run_whole(tmp_path, monkeypatch, source, "f")
