"""Dataclasses whose fields are never set again where they say so: the type checker sees to that, Python does not.

Values and places are made by the million, and the fields of what Python takes for frozen are set thrice as slowly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    def dataclass(*, frozen=False, eq=True, **options):
        """As ``dataclasses.dataclass``; what is frozen has a hash, and is otherwise like the rest."""
        return dataclasses.dataclass(eq=eq, unsafe_hash=frozen and eq, **options)
