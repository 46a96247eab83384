"""Integers that differ between the calls of a region: Dynamo makes symbols of them."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

PROGRAM = """
import torch

def f(x, n):
    y = x + n
    half, rest = divmod(n, 2)
    return y * half + rest
"""
CASES = [((3, 5), "None", True), ((0, 1), "None", True), ((3, 3), "None", False), ((3, 5), "False", False)]


@pytest.mark.parametrize(("given", "dynamic", "fails"), CASES)
def test_symbols(given: tuple[int, ...], dynamic: str, fails: bool) -> None:
    """The second value makes a symbol, without ``dynamic=False``."""
    calls = "".join(f"g(torch.ones(3), {number})\n" for number in given)
    found = breaks(f"{PROGRAM}\ng = torch.compile(f, dynamic={dynamic})\n{calls}")
    assert found == ([(6, "symbolic-size")] if fails else [])


@pytest.mark.parametrize(("given", "dynamic", "fails"), CASES)
def test_dynamo_agrees(given: tuple[int, ...], dynamic: str, fails: bool) -> None:
    """With a symbol, Dynamo makes more than one graph too."""
    torch = pytest.importorskip("torch")
    torch._dynamo.reset()
    names: dict[str, object] = {}
    exec(PROGRAM, names)
    compiled = torch.compile(
        names["f"], backend="eager", fullgraph=True, dynamic={"None": None, "False": False}[dynamic]
    )
    compiled(torch.ones(3), given[0])
    if fails:
        with pytest.raises(torch._dynamo.exc.Unsupported, match="Observed exception"):
            compiled(torch.ones(3), given[1])
    else:
        compiled(torch.ones(3), given[1])
