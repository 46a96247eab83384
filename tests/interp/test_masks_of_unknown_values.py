"""A mask as the index of a value that is not known shows a tensor."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks
from tests.oracle import record

SOURCE = """\
import torch

def f(x, options):
    return options["scale"][x > 0]
"""


def test_mask_of_an_unknown_value_selects_from_a_tensor() -> None:
    assert breaks(SOURCE, "f") == [(4, "dynamic-shape")]


def test_dynamo_breaks_at_the_mask() -> None:
    pytest.importorskip("torch")
    (answer,) = record.answers([record.Job("mask", SOURCE, "(torch.ones(4), {'scale': torch.ones(4)})")])
    assert answer is not None
    assert {line for line, _ in answer["breaks"]} == {4}
