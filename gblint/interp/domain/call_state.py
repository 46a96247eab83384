"""State between calls: the attributes and global variables that a call of the region changes for the next call.

Examples are ``self.history = []``, to which each call adds an item, and ``self.last = None``, which each call stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import BOTTOM, Bottom, Const, Value, members, scalar_of
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, Instance, next_uid

Holder = Instance | Class | str
"""An object or class with attributes, or the name of a module with variables."""


def note_stored(
    interp: Interpreter, frame: Frame, holder: Instance | Class | None, name: str, old: Value, new: Value
) -> None:
    """Note that the region replaces the initial value of an attribute; of a global variable if ``holder`` is None."""
    if frame.mode.tracing and not frame.mode.again and new != old and _replaces_initial(old, new):
        if not isinstance(holder, Instance) or holder.pre_existing:
            interp.effects.left.add((holder, name))
    note_eager(interp, holder, name, old)


def note_eager(interp: Interpreter, holder: Holder | None, name: str, old: Value | None) -> None:
    """Note a value that is stored before the first call of a compiled object, if such a call replaces it."""
    effects = interp.effects
    if not effects.eager_since or holder is None or (isinstance(holder, Instance) and not _is_older(interp, holder)):
        return
    effects.before_calls.setdefault((holder, name), BOTTOM if old is None else old)


def _is_older(interp: Interpreter, instance: Instance) -> bool:
    """Return whether an object was made before the compiled call, or at the top level of a module that it reads."""
    effects = interp.effects
    return instance.uid < effects.eager_since or any(start <= instance.uid < end for start, end in effects.made_outside)


def note_used(interp: Interpreter, values: Iterable[Value]) -> None:
    """Note that a compiled call of the search sees objects, and the objects that their attributes hold."""
    used = interp.effects.used
    waiting = [*values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Instance):
            if value.uid not in used:
                used.add(value.uid)
                waiting += [each for held in value.attrs.values() for each in members(held)]
        elif isinstance(value, Seq):
            parts = value.items if value.items is not None else (value.rest,)
            waiting += [each for part in parts for each in members(part)]


@contextmanager
def eager_call(interp: Interpreter) -> Iterator[None]:
    """Note what the call of a compiled object changes while the code around it is searched."""
    outer = interp.effects.eager_since
    interp.effects.eager_since = outer or next_uid()
    try:
        yield
    finally:
        interp.effects.eager_since = outer


@contextmanager
def outside_of_call(interp: Interpreter) -> Iterator[None]:
    """Evaluate the top level of a module: what it makes and stores is there before the call that reads it."""
    effects = interp.effects
    since, start = effects.eager_since, next_uid() if effects.eager_since else 0
    effects.eager_since = 0
    try:
        yield
    finally:
        effects.eager_since = since
        if since:
            effects.made_outside.append((start, next_uid()))


def restore(interp: Interpreter) -> None:
    """Store what objects and variables hold before the first call of a compiled object."""
    for (holder, name), value in interp.effects.before_calls.items():
        if isinstance(holder, str):
            interp.caches.globals[holder, name] = value
            continue
        if isinstance(value, Bottom):
            holder.attrs.pop(name, None)
        else:
            holder.attrs[name] = value
        if isinstance(holder, Instance):
            holder.version += 1
            interp.summary_cache.on_change(holder.uid)
    if interp.effects.before_calls:
        interp.caches.class_attributes.clear()
        interp.summary_cache.on_change(0)


def forget_numbers(interp: Interpreter) -> None:
    """Forget the values of the numbers that the region counts: each call finds another one."""
    for holder, name in interp.effects.left:
        value = None if holder is None else holder.attrs.get(name)
        if isinstance(holder, Instance) and isinstance(value, Const) and type(value.value) in (int, float):
            interp.store_attribute(holder, name, scalar_of(value.value))


def _replaces_initial(old: Value, new: Value) -> bool:
    """Return whether ``new`` differs from ``old`` in a value that a constructor gives."""
    if isinstance(old, Mapping) and old.entries and isinstance(new, Mapping):
        return any(_is_initial(value) and new.get(key) not in (None, value) for key, value in old.entries)
    return _is_initial(old)


def _is_initial(value: Value) -> bool:
    """Return whether ``value`` is one that a constructor gives an attribute: None, a constant, an empty container."""
    if isinstance(value, Seq):
        return value.items == ()
    if isinstance(value, Mapping):
        return not value.entries and value.rest is None
    return isinstance(value, Const)
