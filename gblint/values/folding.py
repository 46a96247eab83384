"""The size budget of values that are computed from other values.

A program of a few lines can double a string or a list with each of them.  Such a value keeps its type when it exceeds
the budget, and loses its contents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gblint.values.base import STR, UNKNOWN, Const, Union, Value, scalar_of
from gblint.values.containers import Iterator, Mapping, Seq, Slice
from gblint.values.identity_cache import IdentityCache
from gblint.values.lattice import join_all
from gblint.values.objects import Partial

MAX_TEXT = 4096
"""Characters of a string, or bytes, that an operation takes or returns."""
MAX_BITS = 128
"""Bits of such an integer."""
MAX_PARTS = 1 << 14
"""Values in a container.  One that is in several places counts once for each: comparing the container takes as long."""
PARTS_FOR_STEP = 4
"""So many values in a container that is made, or unpacked into arguments, count as a further step."""
_COMPOSED: Final = frozenset((Seq, Mapping, Iterator, Slice, Union, Partial))
_sizes: Final[IdentityCache[int]] = IdentityCache()


def is_large(value: object) -> bool:
    """Return whether a Python constant exceeds the budget."""
    if isinstance(value, (str, bytes)):
        return len(value) > MAX_TEXT
    return isinstance(value, int) and value.bit_length() > MAX_BITS


def constant(value: object) -> Value:
    """Return the value of a Python constant; only its type if it exceeds the budget."""
    return scalar_of(value) if is_large(value) else Const(value)


def fold(function: Callable[..., object], *operands: object) -> Value | None:
    """Return ``function(*operands)`` for Python constants; None if an operand exceeds the budget.

    Raises what the function raises.
    """
    return None if any(map(is_large, operands)) else constant(function(*operands))


def part_of(text: str, index: Value) -> Value:
    """Return ``text[index]``, for a slice as well."""
    if isinstance(index, Const):
        place = index.value
        return Const(text[place]) if isinstance(place, int) and -len(text) <= place < len(text) else STR
    parts = (index.lower, index.upper, index.step) if isinstance(index, Slice) else ()
    bounds = [p.value for p in parts if isinstance(p, Const) and (p.value is None or isinstance(p.value, int))]
    return Const(text[bounds[0] : bounds[1] : bounds[2]]) if len(bounds) == 3 and bounds[2] != 0 else STR


def bounded(value: Value) -> Value:
    """Return ``value``, without its contents if it exceeds the budget."""
    return measured(value)[0]


def measured(value: Value) -> tuple[Value, int]:
    """Return ``bounded(value)``, and the number of the values in a container; at most a little above the budget."""
    if type(value) is Const:
        return scalar_of(value.value) if is_large(value.value) else value, 0
    if type(value) not in _COMPOSED:
        return value, 0
    parts = _count_parts(value)
    return (value if parts <= MAX_PARTS else _without_contents(value)), parts


def _without_contents(value: Value) -> Value:
    if isinstance(value, Seq) and value.items is not None:
        return Seq(value.cls, None, _limited(join_all(value.items)), len(value.items))
    if isinstance(value, Mapping):
        rest = (value.rest,) if value.rest is not None else ()
        keys = join_all((value.keys, *(k for k, _ in value.entries)))
        return Mapping((), _limited(join_all((*(v for _, v in value.entries), *rest))), _limited(keys), value.cls)
    if isinstance(value, Iterator):
        count = value.count if value.items is None else len(value.items)
        return Iterator(value.cls, _limited(value.item), value.pre_existing, None, _limited(value.returned), count)
    return UNKNOWN


def _limited(value: Value) -> Value:
    return UNKNOWN if type(value) in _COMPOSED and _count_parts(value) > MAX_PARTS else value


def _count_parts(value: Value) -> int:
    """Return the number of parts of a composed value, counted up to the budget; each is visited once."""
    parts = _parts(value)
    if len(parts) < MAX_PARTS and not any(type(each) in _COMPOSED for each in parts):
        return 1 + len(parts)
    sizes: dict[int, int] = {}
    pending = [value]
    while pending:
        part = pending[-1]
        parts = _parts(part)
        if len(parts) > MAX_PARTS:
            return len(parts)
        inner = [each for each in parts if type(each) in _COMPOSED]
        missing = []
        for each in inner:
            if id(each) in sizes:
                continue
            known = _sizes.get(each)
            if known is None:
                missing.append(each)
            else:
                sizes[id(each)] = known
        if missing:
            pending += missing
            continue
        size = 1 + len(parts) - len(inner) + sum([sizes[id(each)] for each in inner])
        if size > MAX_PARTS:
            return size
        sizes[id(part)] = size
        if part is not value:
            _sizes.keep(part, size)
        pending.pop()
    return sizes[id(value)]


def _parts(value: Value) -> tuple[Value, ...]:
    """Return the values that a composed value consists of."""
    if isinstance(value, Seq):
        return (value.rest,) if value.items is None else value.items
    if isinstance(value, Mapping):
        rest = () if value.rest is None else (value.rest,)
        return (*(k for k, _ in value.entries), *(v for _, v in value.entries), *rest)
    if isinstance(value, Iterator):
        return (value.item, value.returned, *(value.items or ()))
    if isinstance(value, Slice):
        return (value.lower, value.upper, value.step)
    if isinstance(value, Union):
        return value.members
    if isinstance(value, Partial):
        return (value.function, *value.args, *(v for _, v in value.kwargs))
    return ()
