"""Attributes that branches outside of the region store: a branch does not see what the others have stored.

if kind == "a":                    # net.block is A after this branch, and as before in the other one
    net.block = A(net.block)
else:
    net = torch.compile(net)       # with the block as before
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gblint.interp.domain import reach
from gblint.interp.state.branch_record import BranchRecord, OtherValue, Place
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Value
from gblint.values.lattice import join
from gblint.values.objects import Instance, next_uid


class Sides:
    """The sides of an ``if``, or the cases of a ``match``.

    If they are kept ``apart``, each begins with the attributes as they were before.
    """

    def __init__(self, interp: Interpreter, *, apart: bool) -> None:
        self._interp = interp
        self.apart = apart
        self._done: BranchRecord | None = None

    @contextmanager
    def side(self) -> Iterator[None]:
        """Evaluate one side; after it, an attribute has the values of each side so far that stores it."""
        if not self.apart:
            yield
            return
        done = self._done
        stored = None if done is None else _undo(self._interp, done)
        with _recorded(self._interp) as record:
            yield
        if done is None or stored is None:
            self._done = record
            return
        _note_other_values(done, record, stored)
        _redo(self._interp, done, record, stored)
        done.add(record)
        _note_later_values(done)


@contextmanager
def in_script(interp: Interpreter, *, is_script: bool) -> Iterator[None]:
    """Evaluate a module; what a script stores in objects that stand for any object of a class, others do not see.

    Such an object is made once, for all modules in which an annotation stands for it.
    """
    if not is_script:
        yield
        return
    with _recorded(interp) as record:
        yield
    for place, (instance, old) in record.stores.items():
        if instance.from_defaults:
            here = instance.attrs.get(place[1])
            for compiled in record.compiled:
                compiled.setdefault(place, OtherValue(instance, place[1], here, None))
            _set(interp, instance, place[1], old)
    _note_later_values(record)


@contextmanager
def as_compiled(interp: Interpreter, others: Sequence[OtherValue]) -> Iterator[None]:
    """Give attributes the values that they have where an entry point is compiled, and afterwards the others again."""
    given = [each for each in others if each.instance.attrs.get(each.name) == each.after]
    for each in given:
        _set(interp, each.instance, each.name, each.here)
    try:
        yield
    finally:
        for each in given:
            now = each.instance.attrs.get(each.name)
            if now is None or each.after is None or now is each.here:
                _set(interp, each.instance, each.name, each.after)
            else:  # the region stores it, too
                _set(interp, each.instance, each.name, join(each.after, now))


@contextmanager
def _recorded(interp: Interpreter) -> Iterator[BranchRecord]:
    """Record what a branch does."""
    outer, record = interp.effects.branch, BranchRecord(next_uid())
    interp.effects.branch = record
    try:
        yield record
    finally:
        interp.effects.branch = outer
        if outer is not None:
            outer.add(record)


def _undo(interp: Interpreter, record: BranchRecord) -> dict[Place, tuple[Instance, Value]]:
    """Give the attributes that a branch has stored their old values; return the stored ones."""
    stored: dict[Place, tuple[Instance, Value]] = {}
    for place, (instance, old) in record.stores.items():
        if place[1] in instance.attrs:
            stored[place] = instance, instance.attrs[place[1]]
        _set(interp, instance, place[1], old)
    return stored


def _redo(
    interp: Interpreter, first: BranchRecord, second: BranchRecord, stored: dict[Place, tuple[Instance, Value]]
) -> None:
    """Give the attributes the values that the first side has ``stored``, joined with what the second has stored."""
    for place, (instance, value) in stored.items():
        now = instance.attrs.get(place[1]) if place in second.stores else None
        _set(interp, instance, place[1], value if now is None else join(value, now))
        usual, other = first.usual[place], second.usual.get(place)
        if usual is not other and True in (usual, other):
            reach.stored(instance, place[1], now, value, usual is True)


def _note_other_values(first: BranchRecord, second: BranchRecord, stored: dict[Place, tuple[Instance, Value]]) -> None:
    """Note, for what each side compiles, the attributes that the other side stores.

    stored: what the first side has stored, which the attributes do not hold at the moment.
    """
    for compiled in second.compiled:
        for place, (instance, _) in stored.items():
            compiled.setdefault(place, OtherValue(instance, place[1], instance.attrs.get(place[1]), None))
    for compiled in first.compiled:
        for place, (instance, old) in second.stores.items():
            here = stored[place][1] if place in stored else old
            compiled.setdefault(place, OtherValue(instance, place[1], here, None))


def _note_later_values(record: BranchRecord) -> None:
    for other in (each for compiled in record.compiled for each in compiled.values()):
        other.after = other.instance.attrs.get(other.name)


def _set(interp: Interpreter, instance: Instance, name: str, value: Value | None) -> None:
    if instance.attrs.get(name) is value:
        return
    if value is None:
        instance.attrs.pop(name, None)
    else:
        instance.attrs[name] = value
    instance.version += 1
    interp.summary_cache.on_change(instance.uid)
