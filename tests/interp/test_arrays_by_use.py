"""Values of which only the use says that they are tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break, confidences

COLUMN = """
import torch

class Batch:
    def __init__(self):
        self.store = {"xy": torch.ones(3, 2)}

    def __getattr__(self, name):
        return self.store[name]

batch = Batch()

def f(x):
    if batch.xy[:, 0].sum() > 0:  # breaks
        return x + 1
    return x
"""
USES = [
    "torch.repeat_interleave(x, batch.starts[1:] - batch.starts[:-1])",
    "x + 1 if batch.xy[:, 0].sum() > 0 else x",
]


def test_dynamo_breaks_as_for_a_tensor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_first_break(tmp_path, monkeypatch, COLUMN, "f")


@pytest.mark.parametrize("use", USES)
def test_unknown_values_are_likely_tensors(use: str) -> None:
    source = f"import torch\n\ndef f(x: torch.Tensor, batch: 'Batch'):\n    return {use}\n"
    assert confidences(source, "f") == {4: "likely"}


@pytest.mark.parametrize(
    ("index", "found"),
    [("x[:, ~keep]", True), ("x[:, a & b]", True), ("x[~keep]", True), ("x[:, keep]", False), ("x[:, -keep]", False)],
)
def test_logical_operators_make_a_mask(index: str, found: bool) -> None:
    parameters = ", ".join(f"{name}: torch.Tensor" for name in ("x", "keep", "a", "b"))
    source = f"import torch\n\ndef f({parameters}):\n    return {index}\n"
    assert breaks(source, "f") == ([(4, "dynamic-shape")] if found else [])


def test_slices_that_are_joined_may_be_lists() -> None:
    source = """
def f(x, batch: "Batch"):
    first = batch.names[1:] + batch.names[:-1]
    if first:
        x = x + 1
    return x
"""
    assert breaks(source, "f") == []
