"""State between calls: the attributes and global variables that a call of the region changes for the next call.

Examples are ``self.history = []``, to which each call adds an item, and ``self.last = None``, which each call stores.
"""

from __future__ import annotations

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Const, Value, scalar_of
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, Instance


def note_stored(
    interp: Interpreter, frame: Frame, holder: Instance | Class | None, name: str, old: Value, new: Value
) -> None:
    """Note that the region replaces the initial value of an attribute; of a global variable if ``holder`` is None."""
    if frame.mode.tracing and not frame.mode.again and new != old and _replaces_initial(old, new):
        if not isinstance(holder, Instance) or holder.pre_existing:
            interp.effects.left.add((holder, name))


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
