"""Summaries shared by calls with equal arguments, such as the calls of the equal blocks of a model.

A summary belongs to one object, since the attributes of the object decide what a function does.  Many objects are equal
though.  A structural key therefore describes a call by the contents of its arguments, recursively for modules and for
objects that the region makes, and without messages.  If the first call with a key changed nothing that existed before
it, returned nothing of that, and compared no such object with another one, further calls with that key reuse its
summary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final

from gblint.interp.state.frame import TracingMode
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.values.base import BOTTOM, UNKNOWN, Const, Scalar, Tensor, Union, Unknown, Value
from gblint.values.containers import Mapping, Range, Seq
from gblint.values.dispatch import HandlersByClass
from gblint.values.keys import key, structure
from gblint.values.objects import Class, ExternalObject, Function, Instance, is_nn_module
from gblint.values.plain import MAX_CONTENT_DEPTH, is_plain

MESSAGE = 40
"""A string of more characters with a space in it is taken for a message to people, unless it is a pattern of axes."""


class SummaryCache:
    """Summaries by structural key.

    changes: the number of changes of any object.
    oldest_mutated: the lowest uid of an object that was changed since the current function began; 0 stands for a change
        of anything else than an object.
    oldest_rebuilt: the same for changes of more than a number, a flag or a tensor that the object had before.
    """

    def __init__(self) -> None:
        self.summaries: dict[Hashable, FunctionSummary] = {}
        self.changes = 0
        self.oldest_mutated: float = math.inf
        self.oldest_rebuilt: float = math.inf
        self._contents: dict[int, tuple[int, Hashable]] = {}
        # Numbers for the contents of objects and containers.
        self._numbers: dict[Hashable, int] = {}
        # The keys of the containers in one call, by identity and depth: a list may contain another one many times.
        self._parts: dict[tuple[int, int], Hashable] = {}

    def begin(self) -> tuple[float, float]:
        """Begin with a function; return what ``end`` takes."""
        before = self.oldest_mutated, self.oldest_rebuilt
        self.oldest_mutated = self.oldest_rebuilt = math.inf
        return before

    def end(self, before: tuple[float, float]) -> None:
        """End with a function: its changes are those of its caller, too."""
        self.oldest_mutated = min(before[0], self.oldest_mutated)
        self.oldest_rebuilt = min(before[1], self.oldest_rebuilt)

    def on_change(self, uid: int, old: Value | None = None, new: Value = UNKNOWN) -> None:
        """Note a change of an object, or of anything else if ``uid`` is 0.

        old, new: the values of an attribute or a variable before and after; without one before, None or BOTTOM.
        """
        self.changes += 1
        self.oldest_mutated = min(self.oldest_mutated, uid)
        if old is None or old is BOTTOM or not is_plain(new):
            self.oldest_rebuilt = min(self.oldest_rebuilt, uid)

    def on_identity(self) -> None:
        """Note that it may matter which object was compared: equal objects do not share the summary."""
        self.oldest_mutated = 0.0

    def structural_key(self, function: Function, variables: dict[str, Value], mode: TracingMode) -> Hashable:
        """Return the key of a call; None for a call whose summary is not shared."""
        if mode.backward_kind:
            return None
        if not mode.tracing and not all(map(is_plain, variables.values())):
            return None
        self._parts.clear()
        inside = tuple([self._content(value, 0) for value in variables.values()])
        return (id(function.node), id(function.scope), id(function.owner), mode, inside)

    def store(self, place: Hashable, summary: FunctionSummary, watermark: int) -> None:
        """Share the summary of a call, if it depends on no object that is older than ``watermark``."""
        if self.oldest_mutated >= watermark and not summary.updates and _is_own(summary.result, watermark, 0):
            self.summaries[place] = summary

    def _content(self, value: Value, depth: int) -> Hashable:
        """A hashable description of the contents of a value, without messages."""
        if isinstance(value, Const):
            text = value.value
            is_message = type(text) is str and len(text) > MESSAGE and " " in text and "->" not in text
            return "message" if is_message else value
        if isinstance(value, Instance):
            return self._object(value, depth)
        cls = type(value)
        if cls is Tensor or cls is Unknown:
            return value
        if cls is Scalar:
            return key(value)
        if depth > MAX_CONTENT_DEPTH:
            return key(value)
        place = (id(value), depth)
        known = self._parts.get(place)
        if known is None:
            below = depth + 1

            def part(inner: Value) -> Hashable:
                return self._content(inner, below)

            # A number: Python hashes all of a nested key each time, and a container that is in several places for each.
            known = self._parts[place] = self._number(structure(value, part))
        return known

    def _number(self, content: Hashable) -> int:
        return self._numbers.setdefault(content, len(self._numbers))

    def _object(self, instance: Instance, depth: int) -> Hashable:
        """Return the key of an object: a number for its contents, or its identity; see ``is_described_by_contents``.

        The number is cached until any object is changed.
        """
        if not is_described_by_contents(instance):
            return key(instance)
        kept = self._contents.get(instance.uid)
        if kept is not None and kept[0] == self.changes:
            return kept[1]
        cls = instance.cls
        name: Hashable = id(cls) if isinstance(cls, Class) else cls
        # An object that contains itself is represented by its class there.
        self._contents[instance.uid] = (self.changes, ("within", name))
        inside = [(attribute, self._content(value, 1)) for attribute, value in instance.attrs.items()]
        content = ("i", name, instance.from_defaults, instance.partial, instance.pre_existing, *inside)
        number = self._number(content)
        self._contents[instance.uid] = (self.changes, number)
        return number


def is_described_by_contents(value: Value) -> bool:
    """Return whether equal objects have one key: modules, and objects that the region makes."""
    return isinstance(value, Instance) and (not value.pre_existing or is_nn_module(value))


def _is_own(value: Value, watermark: int, depth: int) -> bool:
    """Return whether no object in a result is older than the call."""
    cls = type(value)
    if cls is Const or cls is Tensor or cls is Scalar or cls is Unknown or cls is Class:
        return True
    if depth > MAX_CONTENT_DEPTH:
        return False
    parts = _PARTS[cls](value, watermark)
    return parts is not None and all(_is_own(v, watermark, depth + 1) for v in parts)


# The values in a result; None for a result that is older than the call, or may be.
_PARTS: Final[HandlersByClass[Callable[[Any, int], Iterable[Value] | None]]] = HandlersByClass(
    {
        Instance: lambda value, watermark: value.attrs.values() if value.uid >= watermark else None,
        Union: lambda value, watermark: value.members,
        Seq: lambda value, watermark: (value.rest,) if value.items is None else value.items,
        Mapping: lambda value, watermark: [v for _, v in value.entries] + ([] if value.rest is None else [value.rest]),
        Function: lambda value, watermark: () if value.scope is None else None,
        Range: lambda value, watermark: (),
        ExternalObject: lambda value, watermark: (),
        Value: lambda value, watermark: None,
    }
)
