"""Record of what a branch outside of the region does to objects that exist before it."""

from __future__ import annotations

from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import Value
from gblint.values.objects import Instance

Place = tuple[int, str]
"""An attribute: the uid of its object, and its name."""


@dataclass(slots=True)
class OtherValue:
    """An attribute that a branch stores which excludes the one that compiles something.

    here: its value in the compiling branch; None if the object lacks it there. after: its value after both branches.
    """

    instance: Instance
    name: str
    here: Value | None
    after: Value | None


@dataclass(slots=True)
class BranchRecord:
    """The attributes that a branch stores, with their objects and old values, and the compilations in it.

    before: objects whose uid is below this were made before the branch.
    usual: whether the last store of an attribute runs with all defaults; None if it is not known.
    compiled: for each compilation, the attributes that branches store which exclude it.
    """

    before: int
    stores: dict[Place, tuple[Instance, Value | None]] = field(default_factory=dict)
    usual: dict[Place, bool | None] = field(default_factory=dict)
    compiled: list[dict[Place, OtherValue]] = field(default_factory=list)

    def stored(self, instance: Instance, name: str, old: Value | None, is_usual: bool | None) -> None:
        """Note that an attribute is stored, which had an ``old`` value or none.

        An object that stands for any object of its class is made once, wherever it is needed first.
        """
        if instance.uid < self.before or instance.from_defaults:
            self.stores.setdefault((instance.uid, name), (instance, old))
            self.usual[instance.uid, name] = is_usual

    def add(self, inner: BranchRecord) -> None:
        """Add what a branch in this one has done."""
        for place, (instance, old) in inner.stores.items():
            self.stored(instance, place[1], old, inner.usual[place])
        self.compiled += inner.compiled
