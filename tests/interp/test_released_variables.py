"""``model = None`` at the end of a test or script releases the object; what was compiled has run with it before."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

FUNCTION = """\
import torch

def main():
    n = torch.ones(3)
    def f(x):
        if n is None:
            return x
        return x + n.sum().item()
    {rest}
"""
MODULE = """\
import torch

n = torch.ones(3)
@torch.compile
def f(x):
    if n is None:
        return x
    return x + n.sum().item()
{rest}
"""


@pytest.mark.parametrize(
    ("rest", "is_released"),
    [
        ("torch.compile(f)(torch.ones(3))\n    n = None", True),
        ("c = torch.compile(f)\n    c(torch.ones(3))\n    n = None\n    print('done')", True),
        ("torch.compile(f)(torch.ones(3))\n    kept = n\n    n = None\n    print(kept)", True),
        ("n = None\n    torch.compile(f)(torch.ones(3))", False),
        ("c = torch.compile(f)\n    n = None\n    c(torch.ones(3))", False),
    ],
)
def test_variable_of_a_function(rest: str, is_released: bool) -> None:
    assert bool(breaks(FUNCTION.format(rest=rest))) == is_released


@pytest.mark.parametrize(
    ("rest", "is_released"), [("f(torch.ones(3))\nn = None", True), ("n = None\nf(torch.ones(3))", False)]
)
def test_variable_of_a_module(rest: str, is_released: bool) -> None:
    assert bool(breaks(MODULE.format(rest=rest))) == is_released


def test_optimizer_that_is_released() -> None:
    source = """\
    import torch

    def test_step():
        optimizer = torch.optim.Adam([torch.ones(3, requires_grad=True)])
        def step():
            optimizer.step()
        torch.compile(step)()
        optimizer = None
    """
    assert [line for line, _ in breaks(source)] == [6]
