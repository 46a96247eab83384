"""The order of the bases of a class is Python's."""

from __future__ import annotations

import random
from typing import Any, cast

import pytest

from gblint.interp.evaluator.class_bases import _linearize


class _Described:
    """A class as ``_linearize`` reads it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.mro: tuple[Any, ...] = ()


@pytest.mark.parametrize("seed", range(40))
def test_order_of_bases(seed: int) -> None:
    drawn = random.Random(seed)
    classes: list[type] = []
    ours: dict[type, _Described] = {}
    for number in range(12):
        bases = drawn.sample(classes, min(len(classes), drawn.randrange(4)))
        described = _Described(f"C{number}")
        described.mro = cast(Any, _linearize)(described, [ours[each] for each in bases])
        try:
            made = type(f"C{number}", tuple(bases), {})
        except TypeError:
            assert len(described.mro) == len(set(described.mro))
            continue
        classes.append(made)
        ours[made] = described
        assert [each.name for each in described.mro] == [each.__name__ for each in made.__mro__[:-1]]
