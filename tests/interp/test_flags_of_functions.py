"""Flags that a module sets on its functions, and that a wrapper reads with ``getattr`` before it compiles them."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

SOURCE = """\
import torch

def first(x):
    print(x)
    return x

{decorator}
def second(x):
    print(x)
    return x

second.eager_only = True

def speed(fn, enabled):
    if not enabled or {test}:
        return fn
    return torch.compile(fn)

def main(x, enabled):
    speed(first, enabled)(x)
    speed(second, enabled)(x)
"""


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ('getattr(fn, "eager_only", False)', [4]),
        ('getattr(fn, "other", False)', [4, 9]),
    ],
)
def test_a_flag_decides_which_functions_are_compiled(test: str, found: list[int]) -> None:
    assert [line for line, _ in breaks(SOURCE.format(test=test, decorator=""))] == found


def test_a_flag_of_a_function_under_a_decorator() -> None:
    source = SOURCE.format(test='getattr(fn, "eager_only", False)', decorator="@torch.compiler.disable")
    assert [line for line, _ in breaks(source)] == [4]
