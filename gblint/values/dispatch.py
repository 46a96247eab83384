"""Tables of handlers by the class of a value, one table for each operation."""

from __future__ import annotations

from typing import TypeVar

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
