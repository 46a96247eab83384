"""Sequences, mappings and iterators.

These values are immutable: a method that changes a container creates a new value, and the interpreter stores it where
the old value came from.
"""

from __future__ import annotations

from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import NONE, STR, UNKNOWN, Const, Value


@dataclass(frozen=True, slots=True)
class Seq(Value):
    """A list, tuple, set or ``torch.Size``.

    ``items`` has all items if they are known; otherwise it is None, and ``rest`` is the join of the items. ``count`` is
    the number of items if it is known although the items are not. ``first`` has the items at the start that are known
    one by one although those after them are not; ``later`` is then the join of those after them.
    """

    cls: str
    items: tuple[Value, ...] | None = ()
    rest: Value = UNKNOWN
    count: int | None = None
    first: tuple[Value, ...] = ()
    later: Value = UNKNOWN


@dataclass(frozen=True, slots=True)
class Mapping(Value):
    """A dict: ``entries`` for known keys, and ``rest`` for the values of all other keys (None: there are no others).

    ``optional`` are the known keys that may be missing, as they were stored in one of two branches; ``added`` are those
    of them that are missing as long as all options have their defaults.
    """

    entries: tuple[tuple[Value, Value], ...] = ()
    rest: Value | None = None
    keys: Value = STR
    cls: str = "dict"
    optional: frozenset[Value] = frozenset()
    added: frozenset[Value] = field(default=frozenset(), compare=False)

    def get(self, key: Value) -> Value | None:
        """Return the value under a known key."""
        if type(key) is Const:
            return self._under_constant(key)
        for known, value in self.entries:
            if known == key:
                return value
        return None

    def _under_constant(self, key: Const) -> Value | None:
        """Return the value under a constant; most keys are told apart by their hashes, without a call."""
        number = hash(key)
        for known, value in self.entries:
            if known is key or (type(known) is Const and known._hash == number and known == key):
                return value
        return None

    def get_str(self, key: str) -> Value | None:
        """Return the value under a known string key."""
        return self.get(Const(key))


@dataclass(frozen=True, slots=True)
class Iterator(Value):
    """An iterator or a generator over ``item``.

    ``pre_existing`` is true for an iterator created before the compiled region.  ``returned`` is the return value of a
    generator.
    """

    cls: str
    item: Value
    pre_existing: bool = False
    items: tuple[Value, ...] | None = None
    returned: Value = NONE
    count: int | None = None


COUNTER = "itertools.count"
"""The class of ``itertools.count()``, which Dynamo consumes although it was made outside of the region."""


@dataclass(frozen=True, slots=True)
class Range(Value):
    """``range(...)``; ``count`` is its length, if known."""

    count: int | None = None
    start: int = 0
    step: int = 1


@dataclass(frozen=True, slots=True)
class Slice(Value):
    """``slice(lower, upper, step)``."""

    lower: Value
    upper: Value
    step: Value
