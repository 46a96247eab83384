"""Global variables that a function fills once, at the import of the project."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

MEMO = """
import torch
made = None
def make():
    print("made")
    return torch.ones(3)
def get():
    global made
    if made is not None:
        return made
    made = make()
    return made
@torch.compile
def f(x):
    return x + get()
"""


def test_a_memo_that_is_not_filled() -> None:
    assert breaks(MEMO) == [(5, "call")]


@pytest.mark.parametrize(
    "use",
    [
        "size = get().shape",
        "class Holder:\n    value = get()",
        "if torch.cuda.is_available():\n    get()",
    ],
)
def test_a_memo_that_the_import_fills(use: str) -> None:
    assert breaks(MEMO + use) == []


def test_the_other_form() -> None:
    source = MEMO.replace(
        "if made is not None:\n        return made\n    made = make()", "if made is None:\n        made = make()"
    )
    assert breaks(source) == [(5, "call")]
    assert breaks(source + "get()") == []


@pytest.mark.parametrize("use", ["def late():\n    get()", "if __name__ == '__main__':\n    get()"])
def test_calls_that_the_import_does_not_run(use: str) -> None:
    assert breaks(MEMO + use) == [(5, "call")]
