"""The values that Dynamo takes for constants (``is_python_constant`` of their ``VariableTracker``)."""

from __future__ import annotations

from gblint.values.base import Tensor, Value, members
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.objects import BoundMethod, Class, Instance


def is_missing(value: Value) -> bool:
    """Return whether Dynamo has no constant for an object or a container; a tensor alone is another matter."""
    if isinstance(value, Seq):
        return any(isinstance(v, Tensor) or is_missing(v) for v in _items(value))
    if isinstance(value, Mapping):
        return value.cls != "dict" or any(isinstance(v, Tensor) or is_missing(v) for v in _items(value))
    if isinstance(value, Instance):
        named_tuple = isinstance(value.cls, Class) and value.cls.inherits("typing.NamedTuple")
        return not named_tuple or any(isinstance(v, Tensor) or is_missing(v) for v in _fields(value))
    return isinstance(value, Iterator) or (isinstance(value, BoundMethod) and isinstance(value.receiver, Instance))


def container_in(value: Value) -> Value | None:
    """Return a list, tuple, set or dict if all alternatives are such containers, with tensors or objects in them.

    Dynamo can make the text of an ``OrderedDict`` and of other subclasses of dict.
    """
    found = members(value)
    return found[0] if all(map(_holds_missing, found)) else None


def _holds_missing(value: Value) -> bool:
    if not isinstance(value, Seq) and not (isinstance(value, Mapping) and value.cls == "dict"):
        return False
    return any(
        _holds_missing(v) if isinstance(v, (Seq, Mapping)) else isinstance(v, Tensor) or is_missing(v)
        for v in _items(value)
    )


def tensor_in(value: Value) -> Tensor | None:
    """Return a tensor in a list, dict or named tuple."""
    found = _fields(value) if isinstance(value, Instance) else _items(value)
    return next((v for v in found if isinstance(v, Tensor)), None)


def _items(value: Value) -> list[Value]:
    """Return the alternatives for the items of a sequence, or for the values of a dict."""
    if isinstance(value, Seq):
        items: list[Value] = [*value.items] if value.items is not None else [*value.first, value.rest]
    elif isinstance(value, Mapping):
        items = [item for _, item in value.entries] + ([] if value.rest is None else [value.rest])
    else:
        items = []
    return [v for item in items for v in members(item)]


def _fields(value: Instance) -> list[Value]:
    return [v for field in value.attrs.values() for v in members(field)]
