"""A break in one function of a table is unlikely where the table has many."""

from __future__ import annotations

import pytest

from tests.interp.snippets import confidences

SOURCE = """\
import functools
import torch

def eager(x): return x * 2
def flash(x, scale=1):
    print(x)
    return x
def sdpa(x): return x + 1
{fourth}

TABLE = {{"eager": eager, "flash": flash, "sdpa": sdpa, "fourth": fourth}}

def f(x, name: str):
    return TABLE[name](x)
"""


@pytest.mark.parametrize(
    ("fourth", "level"),
    [
        ("def fourth(x): return x + 3", "possible"),
        ("@torch.compiler.disable\ndef fourth(x): return x + 3", "possible"),
        ("fourth = functools.partial(flash, scale=2)", "possible"),
        ("fourth = eager", "likely"),
    ],
)
def test_wrapped_functions_count_as_well(fourth: str, level: str) -> None:
    assert confidences(SOURCE.format(fourth=fourth), "f")[6] == level
