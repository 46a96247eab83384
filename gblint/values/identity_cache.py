"""A cache of what is computed from values, by their identity: hashing a large container takes as long as reading it."""

from __future__ import annotations

from typing import Generic, TypeVar

from gblint.values.base import Value

T = TypeVar("T")
_CAPACITY = 4096
"""Values in a cache before it is emptied."""


class IdentityCache(Generic[T]):
    """Results by the identity of immutable values, which it keeps alive."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Value, T]] = {}

    def get(self, value: Value) -> T | None:
        """Return the result that is kept for this very value, or None."""
        found = self._kept.get(id(value))
        return None if found is None else found[1]

    def keep(self, value: Value, result: T) -> T:
        """Keep a result for a value; return the result."""
        if len(self._kept) >= _CAPACITY:
            self._kept.clear()
        self._kept[id(value)] = (value, result)
        return result
