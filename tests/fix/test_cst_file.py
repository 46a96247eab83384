"""The concrete syntax tree of a file."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from typing import Any

import pytest
from libcst.metadata import position_provider

from gblint.fix.cst_file import SyntaxTree

TEXT = 'class A(B):\n    def f(self, *a):\n        print("sum", a[0].b(c=1))\n        return [x for x in a if x]\n'


@pytest.mark.parametrize("end", [KeyboardInterrupt, RecursionError, MemoryError])
def test_exceptions_while_positions_are_computed_are_raised(
    end: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """libcst would raise KeyError instead, which is taken for an internal error of one fix."""
    state = position_provider.WhitespaceInclusivePositionProvidingCodegenState
    update, left = state._update_position, 0

    def updated(self: Any, value: str) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise end
        update(self, value)

    monkeypatch.setattr(state, "_update_position", updated)
    for moment in count(1):
        left = moment
        with suppress(end):
            SyntaxTree("a.py", TEXT)
            break
    assert moment > 30
