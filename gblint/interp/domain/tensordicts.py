"""Tensordicts that come in: dicts of tensors, of which neither the keys nor the contents are known."""

from __future__ import annotations

from typing import Final

from gblint.values.base import Tensor, Value
from gblint.values.containers import Seq
from gblint.values.lattice import is_text
from gblint.values.objects import Class, ExternalObject, Instance

_PACKAGE: Final = "tensordict"
_CLASSES: Final = frozenset(("TensorDict", "TensorDictBase", "LazyStackedTensorDict"))
_ITEM: Final = Tensor(proven=False, is_input=True)


def item(base: Value, index: Value) -> Value | None:
    """Return ``td["key"]`` or ``td["outer", "inner"]``; None for other objects and other indices."""
    keys = index.items if isinstance(index, Seq) and index.cls == "tuple" else (index,)
    return _ITEM if keys and all(map(is_text, keys)) and _is_tensordict(base) else None


def _is_tensordict(value: Value) -> bool:
    """Return whether a value is a tensordict that was not made with known contents."""
    if isinstance(value, Instance) and isinstance(value.cls, Class):
        names = [each.name for each in value.cls.mro if each.module.name.partition(".")[0] == _PACKAGE]
        return value.from_defaults and not _CLASSES.isdisjoint(names)
    if isinstance(value, ExternalObject):
        return value.cls.partition(".")[0] == _PACKAGE and value.cls.rpartition(".")[2] in _CLASSES
    return False
