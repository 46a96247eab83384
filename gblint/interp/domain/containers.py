"""Containers: their length, and their contents after a store or a merge."""

from __future__ import annotations

import ast
from typing import Any, Final

from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import NONE, STR, UNKNOWN, Const, Unknown, Value, members
from gblint.values.containers import Iterator, Mapping, Range, Seq, Slice
from gblint.values.lattice import element, join, join_all
from gblint.values.objects import Class, Instance, is_nn_module

# A set operation whose operands have more items is not evaluated.
MAX_COMBINED_ITEMS = 256
SET_OPERATIONS: Final[dict[type[ast.operator], str]] = {
    ast.BitOr: "union",
    ast.BitAnd: "intersection",
    ast.Sub: "difference",
    ast.BitXor: "symmetric_difference",
}
_DICTS = ("collections.OrderedDict", "builtins.dict")


def store_own_item(interp: Interpreter, instance: Instance, index: Value, value: Value) -> None:
    """Store an item in an object of a subclass of dict or list.

    The items of a dict with names as keys are kept as attributes, those of others in one mapping.
    """
    items = instance.attrs.get("__items__")
    if items is None:
        if not isinstance(instance.cls, Class) or not instance.cls.inherits(*_DICTS):
            return
        if isinstance(index, Const) and isinstance(index.value, str):
            interp.store_attribute(instance, index.value, value)
            return
        items = Mapping(tuple((Const(k), v) for k, v in instance.attrs.items() if not k.startswith("__")))
    if isinstance(index, Unknown) and isinstance(items, Mapping) and is_nn_module(instance):
        index = STR  # a ModuleDict and a ParameterDict have no other keys
    interp.store_attribute(instance, "__items__", with_item(items, index, value))


def with_item(container: Value, index: Value, value: Value) -> Value:
    """Return ``container`` after ``container[index] = value``."""
    if isinstance(container, Mapping):
        if isinstance(index, Const):
            entries = dict(container.entries)
            entries[index] = value
            if len(entries) <= 256:
                optional = container.optional - {index} if container.optional else container.optional
                inside = tuple(entries.items())
                return Mapping(inside, container.rest, container.keys, container.cls, optional, container.added)
        rest = value if container.rest is None else join(container.rest, value)
        return Mapping(container.entries, rest, join(container.keys, index), container.cls)
    if isinstance(container, Seq):
        position = index.value if isinstance(index, Const) else None
        if (
            container.items is not None
            and isinstance(position, int)
            and -len(container.items) <= position < len(container.items)
        ):
            items = list(container.items)
            items[position] = value
            return Seq(container.cls, tuple(items))
        if isinstance(index, Slice):
            return _with_slice(container, index, value)
        return Seq(container.cls, None, join(element(container), value))
    return container


def _with_slice(container: Seq, index: Slice, value: Value) -> Value:
    """Return a list after ``container[lower:upper:step] = value``."""
    place = _python_slice(index)
    stored = value.items if isinstance(value, Seq) else None
    if container.items is not None and place is not None and stored is not None:
        items = list(container.items)
        try:
            items[place] = stored
        except ValueError:  # an extended slice takes as many items as it has
            return container
        return Seq(container.cls, tuple(items))
    return Seq(container.cls, None, join(element(container), element(value) if isinstance(value, Seq) else UNKNOWN))


def without_item(container: Value, index: Value) -> Value:
    """Return ``container`` after ``del container[index]``."""
    if isinstance(container, Mapping):
        entries = tuple((k, v) for k, v in container.entries if k != index)
        return Mapping(entries, container.rest, container.keys, container.cls)
    if not isinstance(container, Seq):
        return container
    place = index.value if isinstance(index, Const) else _python_slice(index) if isinstance(index, Slice) else None
    if container.items is not None and isinstance(place, (int, slice)):
        items = list(container.items)
        try:
            del items[place]
        except IndexError:
            return container
        return Seq(container.cls, tuple(items))
    return Seq(container.cls, None, element(container))


def _python_slice(index: Slice) -> slice | None:
    """Return a slice whose parts are all known; None for others."""
    parts = (index.lower, index.upper, index.step)
    if not all(isinstance(part, Const) and (part.value is None or isinstance(part.value, int)) for part in parts):
        return None
    return slice(*(part.value for part in parts if isinstance(part, Const)))


def combined_sets(name: str, a: Value, b: Value) -> Seq | None:
    """Return the union, intersection, difference or symmetric_difference of two sets of constants; None for others."""
    left, right = constants_in(a), constants_in(b)
    if not isinstance(a, Seq) or left is None or right is None or len(left) + len(right) > MAX_COMBINED_ITEMS:
        return None
    only_left, only_right = [v for v in left if v not in right], [v for v in right if v not in left]
    chosen = {
        "union": [*left, *only_right],
        "intersection": [v for v in left if v in right],
        "difference": only_left,
        "symmetric_difference": [*only_left, *only_right],
    }[name]
    return Seq(a.cls, tuple([Const(v) for v in dict.fromkeys(chosen)]))


def constants_in(value: Value) -> list[Any] | None:
    """Return the items of a sequence, or the keys of a mapping, if all are known constants."""
    if isinstance(value, Mapping):
        items = tuple(key for key, _ in value.entries) if value.rest is None and not value.optional else None
    else:
        items = value.items if isinstance(value, Seq) else None
    known = [item.value for item in items or () if isinstance(item, Const)]
    return known if items is not None and len(known) == len(items) else None


def length_of(value: Value) -> int | None:
    """Return the number of items; None if it is unknown."""
    if isinstance(value, Instance):
        value = value.attrs.get("__items__", value)
    if isinstance(value, (Seq, Iterator)):
        return value.count if value.items is None else len(value.items)
    if isinstance(value, Mapping):
        return len(value.entries) if value.rest is None and not value.optional else None
    return value.count if isinstance(value, Range) else None


def _sure_keys(mapping: Mapping) -> set[Value]:
    """Return the known keys that cannot be missing."""
    return {key for key, _ in mapping.entries} - mapping.optional


def _lacks(mapping: Mapping, key: Value) -> bool:
    """Return whether a key is missing as long as all options have their defaults."""
    return key in mapping.added or mapping.get(key) is None


def merge_mappings(a: Value, b: Value) -> Value:
    """Return ``{**a, **b}``."""
    if not isinstance(a, Mapping):
        return UNKNOWN
    out: list[Value] = []
    for member in members(b):
        if isinstance(member, Mapping):
            entries = {**dict(a.entries), **dict(member.entries)}
            rest = a.rest if member.rest is None else member.rest if a.rest is None else join(a.rest, member.rest)
            optional = frozenset(entries.keys() - _sure_keys(a) - _sure_keys(member))
            added = frozenset([key for key in optional if _lacks(a, key) and _lacks(member, key)])
            out.append(Mapping(tuple(entries.items()), rest, join(a.keys, member.keys), a.cls, optional, added))
        elif isinstance(member, Instance):
            values = list(member.attrs.values())
            out.append(Mapping(a.entries, join_all((UNKNOWN, *values)), a.keys, a.cls))
        elif member != NONE:
            out.append(Mapping(a.entries, UNKNOWN, a.keys, a.cls))
    return join_all(out) if out else a
