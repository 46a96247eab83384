"""Counts of several runs, added up."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar

_Self = TypeVar("_Self", bound="Counts")


@dataclass
class Counts:
    """The base of dataclasses of numbers, lists, sets and counters."""

    def add(self: _Self, other: _Self) -> None:
        """Add the numbers and the items of ``other`` to those of this object."""
        for each in fields(self):
            mine, its = getattr(self, each.name), getattr(other, each.name)
            setattr(self, each.name, mine | its if isinstance(mine, set) else mine + its)
