"""Tables of handlers by the class of a value, or of two, one table for each operation."""

from __future__ import annotations

from typing import Generic, TypeVar

H = TypeVar("H")


class HandlersByClass(dict[type, H]):
    """Handlers by class; a class without one of its own has that of the nearest base class.

    The table must have a handler for ``Value``, the base of all values.
    """

    def __missing__(self, cls: type) -> H:
        for base in cls.__mro__[1:]:
            if base in self:
                self[cls] = self[base]
                return self[cls]
        raise KeyError(cls)


class HandlersByPair(Generic[H]):
    """Handlers by the classes of a left and a right operand.

    More than one row may match two operands: their handlers are asked in the order of the rows, until one decides.
    """

    def __init__(self, *rows: tuple[type | tuple[type, ...], type | tuple[type, ...], H]) -> None:
        self._rows = rows
        self._found: dict[tuple[type, type], tuple[H, ...]] = {}

    def between(self, left: object, right: object) -> tuple[H, ...]:
        """Return the handlers for two operands, each once."""
        pair = (type(left), type(right))
        found = self._found.get(pair)
        if found is None:
            matching = [h for a, b, h in self._rows if issubclass(pair[0], a) and issubclass(pair[1], b)]
            found = self._found[pair] = tuple(dict.fromkeys(matching))
        return found
