"""The arguments that pytest passes to a test, and the test to a compiled object."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

SOURCE = """\
import pytest
import torch

class Filled(torch.nn.Module):
    def forward(self, x, value):
        return torch.full_like(x, value)

{parametrized}
def test_filled(x, value):
    torch.compile(Filled())(torch.ones(3), value)
"""


@pytest.mark.parametrize(
    ("parametrized", "found"),
    [
        ('@pytest.mark.parametrize("value", [1.0, 2.5])', []),
        ('@pytest.mark.parametrize("x, value", [((3, 4), 1), ((3,), 2.5)])', []),
        ('@pytest.mark.parametrize("x", [(3, 4)])', [6]),
        ('@pytest.mark.parametrize("value", [1.0, torch.ones(())])', [6]),
    ],
)
def test_numbers_of_parametrize(parametrized: str, found: list[int]) -> None:
    assert [line for line, _ in breaks(SOURCE.format(parametrized=parametrized))] == found
