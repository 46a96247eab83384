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
)
STATED = SOURCE.format(expression="x.sum(n)", checked="torch._check(n == 1)")
CAPTURED = (
    "x.repeat(n, 1, 1)",
    "torch.zeros(n)",
    "x.narrow(2, n, 1)",
    "torch.roll(x, n, 2)",
    "F.pad(x, (n, 0))",
    "x * n",
    'F.conv1d(x, torch.ones(4, 4, 3), padding="same")',
    "F.conv1d(x, torch.ones(4, 4, 3), padding=str('valid'))",
)


@pytest.mark.parametrize("expression", BREAKING)
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


@pytest.mark.parametrize("expression", BREAKING)
def test_dynamo_needs_the_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expression: str) -> None:
    dynamo = pytest.importorskip("torch._dynamo")
    source = SOURCE.format(expression=expression, checked="")
    with pytest.raises(dynamo.exc.UserError, match=r"gblint_snippet\.py\", line 11, in f"):
        run_whole(tmp_path, monkeypatch, source, "f")
