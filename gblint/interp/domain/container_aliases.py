"""Lists, sets and dicts that the program holds under several names: a change in place is seen under all of them.

The values of containers do not change: a method such as ``append`` makes a new value, which is stored where its
receiver came from. Two places hold one object of the program if they hold one and the same value.
"""

from __future__ import annotations

from typing import Final

from gblint.interp.domain import call_state
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import Const, Union, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.identity_cache import IdentityCache
from gblint.values.lattice import join
from gblint.values.objects import BuiltinMethod, Instance

MAX_NESTED_CONTAINERS: Final = 4
"""How deep a changed container is looked for in other containers."""

MAX_ALIAS_ITEMS: Final = 256
"""Larger containers are not told apart from others with the same contents."""

MAX_ALIAS_OBJECTS: Final = 64
"""In how many objects that the variables of a function hold a changed container is looked for."""

_IMMUTABLE: Final = ("tuple", "Size")
_data: Final[IdentityCache[bool]] = IdentityCache()
_HOLDERS: Final = frozenset((Seq, Mapping, Union, BuiltinMethod, Instance))
"""Classes of values in which a container can be; they have no subclasses."""


def note_mutation(frame: Frame, name: str, old: Value) -> None:
    """Note that the object in a parameter, or one in it, was changed in place, so that the caller sees the change."""
    if name not in frame.names.rebound and any(isinstance(v, (Seq, Mapping)) for v in members(old)):
        frame.names.mutated.add(name)


def update(interp: Interpreter, frame: Frame, old: Value, new: Value) -> None:
    """Store ``new``, which an operation made of ``old`` in place, everywhere where the frame holds that container."""
    if not _is_followed(old):
        return
    search = _Search(old, new)
    variables = frame.variables
    for name, value in list(variables.items()):
        found = search.replaced(value, 0)
        if found is not value:
            if name not in frame.names.rebound:
                frame.names.mutated.add(name)
            variables[name] = found
    scope = frame.scope.parent
    while scope is not None:
        for name, value in list(scope.cells.items()):
            found = search.replaced(value, 0)
            if found is not value:
                scope.cells[name] = joined = join(value, found)
                call_state.note_stored(interp, frame, None, name, value, joined)
                interp.note_change(frame, value, joined)
        scope = scope.parent
    for instance in list(search.objects.values()):
        for name, value in list(instance.attrs.items()):
            found = search.replaced(value, 0)
            if found is not value:
                call_state.note_stored(interp, frame, instance, name, value, found)
                interp.store_attribute(instance, name, found)


def changed_parts(old: Value, new: Value, depth: int = 0) -> list[tuple[Value, Value]]:
    """Return the containers within ``old`` that were changed, each with what it is in ``new``."""
    if old is new or old == new:
        return []
    if depth >= MAX_NESTED_CONTAINERS:
        return [(old, new)]
    if isinstance(old, Seq) and isinstance(new, Seq) and old.items and new.items and len(old.items) == len(new.items):
        pairs = list(zip(old.items, new.items, strict=True))
    elif isinstance(old, Mapping) and isinstance(new, Mapping) and _keys(old) == _keys(new):
        pairs = [(a, b) for (_, a), (_, b) in zip(old.entries, new.entries, strict=True)]
    else:
        return [(old, new)]
    inside: dict[int, tuple[Value, Value]] = {}
    for a, b in pairs:
        if a is b or id(a) in inside or a == b:
            continue
        if not isinstance(a, (Seq, Mapping)):
            return [(old, new)]
        inside[id(a)] = (a, b)
    if not inside:
        return [(old, new)]
    return [part for a, b in inside.values() for part in changed_parts(a, b, depth + 1)]


def _keys(value: Mapping) -> list[Value]:
    return [key for key, _ in value.entries]


def copied(value: Value) -> Value:
    """Return a copy of a container and of those in it, which are other objects than the first ones."""
    return _copy(value, {}, 0) if isinstance(value, (Seq, Mapping)) else value


def result_again(value: Value, known: dict[str, Value], given: dict[str, Value]) -> Value:
    """Return the result of a function whose summary is used again: its containers are other objects in each call.

    A parameter that the function returned, among the ``known`` ones of the summary, is the ``given`` one of this call.
    """
    if not isinstance(value, (Seq, Mapping)):
        return value
    done = {id(known[name]): (known[name], parameter) for name, parameter in given.items() if name in known}
    return _copy(value, done, 0)


def _copy(value: Value, done: dict[int, tuple[Value, Value]], depth: int) -> Value:
    """Copy a container; ``done`` has the copies of what was met before, by its number."""
    if not isinstance(value, (Seq, Mapping)) or depth > MAX_NESTED_CONTAINERS or _is_large(value):
        return value
    found = done.get(id(value))
    if found is not None:
        return found[1]
    if isinstance(value, Mapping):
        entries = tuple([(k, _copy(v, done, depth + 1)) for k, v in value.entries])
        made: Value = replace(value, entries=entries)
    else:
        items = None if value.items is None else tuple([_copy(v, done, depth + 1) for v in value.items])
        same = items is None or all(a is b for a, b in zip(items, value.items or (), strict=True))
        made = value if same and value.cls in _IMMUTABLE else replace(value, items=items)
    done[id(value)] = (value, made)
    return made


def _is_followed(value: Value) -> bool:
    """Return whether a container is known well enough to tell it from others that come in."""
    if isinstance(value, Mapping):
        return (value.rest is None or bool(value.entries)) and not _is_large(value)
    return isinstance(value, Seq) and value.items is not None and value.cls not in _IMMUTABLE and not _is_large(value)


def _is_data(value: Seq | Mapping) -> bool:
    """Return whether a container has constants only, as a table of numbers; so have those in it."""
    known = _data.get(value)
    if known is None:
        parts: tuple[Value, ...] | None
        if isinstance(value, Mapping):
            parts = tuple([v for _, v in value.entries]) if value.rest is None else None
        else:
            parts = value.items
        is_data = parts is not None and all(
            type(v) is Const or (isinstance(v, (Seq, Mapping)) and _is_data(v)) for v in parts
        )
        known = _data.keep(value, is_data)
    return known


def _is_large(value: Seq | Mapping) -> bool:
    return len(value.entries if isinstance(value, Mapping) else value.items or ()) > MAX_ALIAS_ITEMS


class _Search:
    """The search for one container in values.

    objects: the objects that were met, by their numbers.
    """

    __slots__ = ("_done", "_in_data", "_new", "_old", "objects")

    def __init__(self, old: Value, new: Value) -> None:
        self._old = old
        self._new = new
        self._in_data = isinstance(old, (Seq, Mapping)) and _is_data(old)
        self._done: dict[int, tuple[Value, Value]] = {}
        self.objects: dict[int, Instance] = {}

    def replaced(self, value: Value, depth: int) -> Value:
        """Return ``value`` with the new container for the old one; ``value`` itself if it does not hold that."""
        if type(value) not in _HOLDERS:
            return value
        if value is self._old:
            return self._new
        if isinstance(value, Instance):
            if len(self.objects) < MAX_ALIAS_OBJECTS:
                self.objects.setdefault(value.uid, value)
            return value
        if depth >= MAX_NESTED_CONTAINERS:
            return value
        if not self._in_data and isinstance(value, (Seq, Mapping)) and _is_data(value):
            return value  # a table of numbers holds no container that has anything else in it
        done = self._done.get(id(value))
        if done is None:
            done = self._done[id(value)] = (value, self._within(value, depth + 1))
        return done[1]

    def _within(self, value: Value, depth: int) -> Value:
        if isinstance(value, Seq):
            if not value.items or not [v for v in value.items if type(v) in _HOLDERS]:
                return value
            items = tuple([self.replaced(v, depth) for v in value.items])
            same = all(a is b for a, b in zip(items, value.items, strict=True))
            return value if same else replace(value, items=items)
        if isinstance(value, Mapping):
            if value.rest is None and not [v for _, v in value.entries if type(v) in _HOLDERS]:
                return value
            entries = tuple([(k, self.replaced(v, depth)) for k, v in value.entries])
            rest = value.rest
            if rest is not None and value.cls != "defaultdict":  # that makes a new object for each key
                rest = rest if (found := self.replaced(rest, depth)) is rest else join(rest, found)
            same = rest is value.rest and all(a[1] is b[1] for a, b in zip(entries, value.entries, strict=True))
            return value if same else replace(value, entries=entries, rest=rest)
        if isinstance(value, BuiltinMethod):
            receiver = self.replaced(value.receiver, depth)
            return value if receiver is value.receiver else replace(value, receiver=receiver)
        assert isinstance(value, Union)
        return join(value, self._new) if any(v is self._old for v in value.members) else value
