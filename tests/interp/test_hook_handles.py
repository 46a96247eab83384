"""Handles of hooks that leave the region: Dynamo cannot reconstruct the handle of a computed tensor."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

PROGRAM = """
import torch

def double(gradient):
    return gradient * 2

def f(x: torch.Tensor):
    y = x + 1
    handle = {tensor}.register_hook(double)
    return y * 2, handle
"""


@pytest.mark.parametrize(("tensor", "found"), [("x", []), ("y", [(10, "tensor-hook")])])
def test_returned_handle(tensor: str, found: list[tuple[int, str]]) -> None:
    """Only the handle of an input can be returned."""
    assert breaks(PROGRAM.format(tensor=tensor) + "\ntorch.compile(f)(torch.ones(3, requires_grad=True))\n") == found


@pytest.mark.parametrize(("tensor", "fails"), [("x", False), ("y", True)])
def test_dynamo_agrees(tensor: str, fails: bool) -> None:
    """Dynamo makes more than one graph too."""
    torch = pytest.importorskip("torch")
    names: dict[str, object] = {}
    exec(PROGRAM.format(tensor=tensor), names)
    compiled = torch.compile(names["f"], backend="eager", fullgraph=True)
    given = torch.ones(3, requires_grad=True)
    if fails:
        with pytest.raises(torch._dynamo.exc.Unsupported, match="RemovableHandleVariable"):
            compiled(given)
    else:
        compiled(given)
