"""Handles of hooks that leave the region: Dynamo cannot reconstruct the handle of a computed tensor."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break

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


CALLABLE = """
import torch

class Hook:
    def __call__(self, gradient):
        print("a gradient"){mark}
        return gradient * 2

def f(x: torch.Tensor):
    y = x + 1
    {tensor}.register_hook(Hook())
    return y * 2

torch.compile(f)(torch.ones(3, requires_grad=True))
"""


@pytest.mark.parametrize(("tensor", "found"), [("x", []), ("y", [(6, "call")])])
def test_dynamo_traces_an_object_as_a_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tensor: str, found: list[tuple[int, str]]
) -> None:
    """Dynamo traces ``__call__`` of the object, if the tensor is computed in the region."""
    source = CALLABLE.format(tensor=tensor, mark="  # breaks" if found else "")
    assert breaks(source) == found
    check_first_break(tmp_path, monkeypatch, source, "f")
