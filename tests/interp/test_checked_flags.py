"""Flags of which a check in a constructor tells the value."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

MODEL = """
import torch
from torch import nn
class Attention(nn.Module):
    def __init__(self, fused: bool = True, other: bool = False):
        super().__init__()
        {statements}
    def forward(self, x):
        if self.fused:
            print("fused")
        return x
@torch.compile
def f(model: Attention, x):
    return model(x)
"""


@pytest.mark.parametrize(
    "statements",
    [
        "self.fused = fused; assert not self.fused, 'not available'",
        "assert not fused; self.fused = fused",
        "assert not fused and x; self.fused = fused",
        "self.fused = fused\n        if self.fused:\n            raise ValueError('not available')",
        "self.fused = fused\n        if self.fused or other:\n            raise ValueError('not available')",
    ],
)
def test_an_object_whose_constructor_refuses_the_flag(statements: str) -> None:
    assert breaks(MODEL.format(statements=statements)) == []


@pytest.mark.parametrize(
    "statements",
    [
        "self.fused = fused",
        "self.fused = fused; assert self.fused",
        "self.fused = fused; assert not (self.fused and other)",
        "self.fused = fused\n        if other:\n            assert not self.fused",
        "self.fused = fused\n        if self.fused:\n            return",
    ],
)
def test_an_object_that_may_have_the_flag(statements: str) -> None:
    assert [kind for _, kind in breaks(MODEL.format(statements=statements))] == ["call"]


@pytest.mark.parametrize(
    ("flag", "before", "after"), [("self.fused", "self.fused = fused", "pass"), ("fused", "pass", "self.fused = fused")]
)
def test_a_check_whose_error_is_caught_tells_nothing(flag: str, before: str, after: str) -> None:
    checked = f"try:\n            assert not {flag}\n        except AssertionError:\n            pass"
    source = MODEL.format(statements="\n        ".join((before, checked, after)))
    assert [kind for _, kind in breaks(source)] == ["call"]
