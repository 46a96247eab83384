"""Parameters that are annotated as flags, and arguments that nothing proves to be tensors."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

SOURCE = """
import torch
from torch import nn

class Inner(nn.Module):
    def forward(self, x, flag: {annotation} = {default}):
        if flag:
            return x
        return x.sum()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, {parameter}):
        return self.inner(x, {argument})

torch.compile(Net())
"""


@pytest.mark.parametrize(
    ("annotation", "default", "parameter", "argument", "expected"),
    [
        ("bool", "False", "y", "y * 2", []),
        ("bool", "False", "y", "y[0]", []),
        ("bool", "False", "y: torch.Tensor", "y.sum() > 0", [(7, "data-dependent-branch")]),
        ("int", "0", "y: torch.Tensor", "y.sum()", [(7, "data-dependent-branch")]),
    ],
)
def test_flag_is_no_tensor_that_nothing_proves(
    annotation: str, default: str, parameter: str, argument: str, expected: list[tuple[int, str]]
) -> None:
    names = {"annotation": annotation, "default": default, "parameter": parameter, "argument": argument}
    assert breaks(SOURCE.format(**names)) == expected
