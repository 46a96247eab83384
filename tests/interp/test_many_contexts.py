"""Functions that are called with more kinds of arguments than are told apart."""

from __future__ import annotations

import pytest

from gblint.interp.domain.context_bounds import MANY_CONTEXTS
from tests.interp.snippets import breaks

SOURCE = """
import torch

def as_lists(*xs):
    {body}
    out = []
    for x in xs:
        if isinstance(x, (list, tuple)):
            out.append(x)
        else:
            out.append([x])
    if len(xs) == 1:
        return out[0]
    return out

def f(x: torch.Tensor):
    {calls}
    first, second = as_lists(x, x + 1)
    if not first:
        return x
    return first[0] + second[0]
"""


@pytest.mark.parametrize(
    ("body", "kinds"), [("pass", 2 * MANY_CONTEXTS), ("str(len(xs))[:1].lower()", MANY_CONTEXTS + 2)]
)
def test_number_of_arguments_is_kept(body: str, kinds: int) -> None:
    calls = "; ".join(f"as_lists(*{[0.5] * (count % 6 + 1)}, {count}, x)" for count in range(kinds))
    assert breaks(SOURCE.format(body=body, calls=calls), "f") == []
