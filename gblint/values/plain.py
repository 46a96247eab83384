"""Values without objects."""

from __future__ import annotations

from typing import Final

from gblint.values.base import Bottom, Const, Scalar, Tensor, Union, Unknown, Value
from gblint.values.containers import Seq

MAX_CONTENT_DEPTH: Final = 8
"""How deep containers inside each other are looked at."""


def is_plain(value: Value, depth: int = 0) -> bool:
    """Return whether a value contains no object: it is a number, a text, a tensor, unknown, or a sequence of these."""
    cls = type(value)
    if cls is Union:
        return all(is_plain(v, depth) for v in value.members)  # type: ignore[attr-defined]
    if cls is Seq and depth < MAX_CONTENT_DEPTH:
        items = value.items if value.items is not None else (value.rest,)  # type: ignore[attr-defined]
        return all(is_plain(v, depth + 1) for v in items)
    return cls is Const or cls is Scalar or cls is Tensor or cls is Unknown or cls is Bottom
