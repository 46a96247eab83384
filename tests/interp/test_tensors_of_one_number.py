"""Tensors of one number that the region makes: Dynamo knows the number, so that an operator can take it as a size.

``CONSTANT_NUMEL_LIMIT`` in torch/_subclasses/fake_tensor.py is the size up to which it keeps the contents.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from tests.interp.snippets import breaks

SOURCE = """
import torch

@torch.compile(backend="eager")
def f(x: torch.Tensor, sizes: torch.Tensor):
    n = {made}
    return torch.split(x, {size})[0]
"""
# What makes ``n``, the size that is read from it, and whether the graph breaks.
CASES = [
    ("torch.tensor(2)", "n", False),
    ("torch.tensor([2])", "n[0]", False),
    ("torch.tensor([2])", "n[-1]", False),
    ("torch.tensor([[2]])", "n[0, 0]", False),
    ("torch.tensor([[2]])", "n[0][0]", False),
    ("torch.IntTensor([2])", "n[0]", False),
    ("torch.LongTensor([2])", "n[0] + 1", False),
    ("torch.tensor([2, 2])", "n[0]", True),
    ("torch.IntTensor([2, 2])", "n[1]", True),
    ("torch.IntTensor(1) + 2", "n[0]", True),
    ("sizes", "n[0]", True),
]


@pytest.mark.parametrize(("made", "size", "is_broken"), CASES)
def test_size_out_of_a_tensor(made: str, size: str, is_broken: bool) -> None:
    assert bool(breaks(SOURCE.format(made=made, size=size))) == is_broken


def test_dynamo_takes_sizes_out_of_these_tensors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(tmp_path)
    for number, (made, size, is_broken) in enumerate(CASES):
        if "IntTensor(1)" in made:
            continue  # its contents are random
        name = f"gblint_sizes_{number}"
        (tmp_path / f"{name}.py").write_text(SOURCE.format(made=made, size=size))
        torch._dynamo.reset()
        torch._dynamo.utils.counters.clear()
        importlib.import_module(name).f(torch.ones(4), torch.tensor([2]))
        assert bool(torch._dynamo.utils.counters["graph_break"]) == is_broken, (made, size)
        sys.modules.pop(name)
