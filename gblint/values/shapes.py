"""Keys that tell objects apart which a program makes in the same way: by classes, parts and flags, not by numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from gblint.values.base import Const, Value
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, Function, Instance

MAX_SHAPE_DEPTH = 4
"""Levels of parts by which two objects are told apart."""


def shape(value: Value, depth: int = 0) -> Hashable:
    """Return a key that is the same for two layers of a model which have parts of the same classes, and equal flags."""
    if isinstance(value, Const) and (value.value is None or isinstance(value.value, (bool, str))):
        return value
    if depth == MAX_SHAPE_DEPTH:
        return type(value).__name__
    if isinstance(value, Instance):
        return value.class_name, *((name, shape(each, depth + 1)) for name, each in sorted(value.attrs.items()))
    if isinstance(value, Seq):
        items = value.items if value.items is not None else (value.rest,)
        return value.cls, frozenset(shape(each, depth + 1) for each in items)
    if isinstance(value, Mapping):
        return value.cls, frozenset(shape(each, depth + 1) for _, each in value.entries)
    return value if isinstance(value, (Function, Class)) else type(value).__name__


def of_different_shapes(values: Iterable[Value], most: int) -> list[Value]:
    """Return the first values of different shapes, at most ``most``."""
    found: dict[Hashable, Value] = {}
    for value in values:
        found.setdefault(shape(value), value)
        if len(found) == most:
            break
    return list(found.values())
