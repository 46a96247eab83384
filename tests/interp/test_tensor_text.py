"""Strings that contain the text of a tensor."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

PROGRAM = """
import torch

@torch.compile
def f(x: torch.Tensor):
    label = {text}
    return {use}
"""


@pytest.mark.parametrize("text", ["f'mean {x.mean()}'", "'mean {}'.format(x.mean())", "f'{[x]}'", "f'{x.mean():.2f}'"])
@pytest.mark.parametrize("use", ["x * len(label)", "x, label + '!'", "x if label == 'a' else -x", "x, label.upper()"])
def test_reading_breaks(text: str, use: str) -> None:
    assert breaks(PROGRAM.format(text=text, use=use)) == [(7, "tensor-to-python")]


@pytest.mark.parametrize("use", ["x, label", "x if label else -x", "x, {label: 1}"])
def test_carrying_does_not(use: str) -> None:
    assert breaks(PROGRAM.format(text="f'mean {x.mean()}'", use=use)) == []


def test_strings_of_other_things() -> None:
    assert breaks(PROGRAM.format(text="f'{x.shape} {x.dtype}'", use="x * len(label)")) == []
