"""The objects that stand for the parameters of the function that is searched for what it compiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gblint.values.base import Value, members
from gblint.values.objects import Instance


class AssumedObjects:
    """The objects for the parameters, and the ``receiver``: the object on which a method is searched."""

    def __init__(self) -> None:
        self._objects: list[Value] = []
        self.receiver: Value | None = None

    def __contains__(self, value: Value) -> bool:
        return value in self._objects

    @contextmanager
    def during(self, values: Iterable[Value], receiver: Value | None = None) -> Iterator[None]:
        """Assume the objects in ``values``, and ``receiver`` if it stands for any object of its class, for a while."""
        outer = self._objects, self.receiver
        self._objects, self.receiver = [], None
        for value in values:
            self.add(value)
        if isinstance(receiver, Instance) and receiver.from_defaults:
            self._objects.append(receiver)
            self.receiver = receiver
        try:
            yield
        finally:
            self._objects, self.receiver = outer

    def add(self, value: Value) -> None:
        """Add the objects in a value: guesses, in place of which others may be compiled."""
        self._objects += [v for v in members(value) if isinstance(v, Instance) and v not in self._objects]
