"""Handlers for errors of operators: Dynamo does not run them, since the operator fails while it is traced."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, run_whole

WITH_FALLBACK = """
import torch
def f(x):
    try:
        y = x.to(torch.float64)
        y = torch.nn.functional.relu(y.clone())
    except {error}:
        print("not supported")
        y = x
    return y
"""
ERRORS = pytest.mark.parametrize("error", ["TypeError", "(NotImplementedError, ValueError)", "IndexError"])


@ERRORS
def test_a_handler_after_operators_only(error: str) -> None:
    assert breaks(WITH_FALLBACK.format(error=error), "f") == []


@ERRORS
def test_dynamo_traces_the_operators_only(error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_whole(tmp_path, monkeypatch, WITH_FALLBACK.format(error=error), "f")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("y = x + table['key']", "TypeError"),
        ("y = x.to(int(name))", "ValueError"),
        ("y = x.to(table[name])", "IndexError"),
        ("y = x.sum().missing", "AttributeError"),
    ],
)
def test_a_handler_after_other_code(body: str, error: str) -> None:
    source = f"""
        import torch
        def f(x: torch.Tensor, table: dict, name: str):
            y = x
            try:
                {body}
            except {error}:
                print("not supported")
            return y
    """
    assert breaks(source, "f") == [(8, "call")]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("torch.sum(x, missing=1)", "TypeError"),
        ("x.sum(dim=5)", "IndexError"),
        ("torch.nn.functional.interpolate(x, size=3)", "(NotImplementedError, ValueError)"),
    ],
)
def test_dynamo_does_not_trace_the_handler(
    call: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = f"""
import torch
def f(x):
    try:
        return {call}
    except {error}:
        return x
"""
    with pytest.raises(Exception, match=r"missing|out of range|UnsupportedFakeTensorException"):
        run_whole(tmp_path, monkeypatch, source, "f")
