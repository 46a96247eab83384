"""Keys of values: hashable descriptions, by which calls with equal arguments share a summary.

A key must tell two values apart if a function may behave differently for them.  So the structure of a value has each
field that the comparison of values has; ``tests/interp/test_value_keys.py`` checks this for every class.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final

from gblint.values.base import Const, Scalar, Tensor, Union, Unknown, Value
from gblint.values.containers import Iterator, Mapping, Seq, Slice
from gblint.values.dispatch import HandlersByClass
from gblint.values.objects import (
    BoundMethod,
    BuiltinMethod,
    Class,
    ContextVariable,
    FileObject,
    Function,
    Getter,
    Instance,
    Partial,
    Super,
    WeakReference,
)
from gblint.values.wrapped import (
    CompiledFunction,
    ContextDecorated,
    DisabledFunction,
    ErrorOnGraphBreak,
    ForbiddenFunction,
    OpaqueFunction,
    Property,
    Pullback,
    SuperProperty,
    TritonKernel,
    Wrapped,
)

MAX_KEY_DEPTH = 6
PartKey = Callable[[Value], Hashable]


def key(value: Value, depth: int = 0) -> Hashable:
    """Return the key of a value: objects are described by their identity and the number of their changes.

    What lies deeper than ``MAX_KEY_DEPTH`` is described by its class only.
    """
    kind = type(value)
    if kind is Const or kind is Tensor or kind is Unknown:
        return value
    if kind is Scalar:
        return _scalar(value)
    if kind is Instance:
        return _instance(value)
    if depth > MAX_KEY_DEPTH and kind not in _OBJECTS:
        return "..."
    below = depth + 1

    def part(inner: Value) -> Hashable:
        return key(inner, below)

    return _STRUCTURES[kind](value, part)


def structure(value: Value, part: PartKey) -> Hashable:
    """Return the key of the fields of a value; ``part`` returns the key of a value in them."""
    return _STRUCTURES[type(value)](value, part)


def _scalar(value: Any) -> Hashable:
    """The name that a string has by default may choose a class or a file; other defaults only tell the reach."""
    return value if value.usual is None or value.kind != "str" else (value, value.usual)


def _instance(value: Any) -> Hashable:
    return ("i", value.uid, value.version)


def _function(value: Function, part: PartKey) -> Hashable:
    here = ("f", id(value.node), id(value.scope), id(value.owner), value.marks)
    if not (value.defaults or value.kw_defaults):
        return here
    named = [None if each is None else part(each) for each in value.kw_defaults]
    return (here, tuple(map(part, value.defaults)), tuple(named))


def _sequence(value: Seq, part: PartKey) -> Hashable:
    if value.first:
        return ("f", value.cls, part(value.later), *map(part, value.first))
    if value.items is None:
        return ("s", value.cls, part(value.rest), value.count)
    return ("q", value.cls, *map(part, value.items))


def _mapping(value: Mapping, part: PartKey) -> Hashable:
    rest = None if value.rest is None else part(value.rest)
    return ("m", value.cls, rest, part(value.keys), value.optional, *[(k, part(v)) for k, v in value.entries])


def _iterator(value: Iterator, part: PartKey) -> Hashable:
    items = None if value.items is None else tuple(map(part, value.items))
    return ("t", value.cls, part(value.item), value.pre_existing, items, part(value.returned), value.count)


def _partial(value: Partial, part: PartKey) -> Hashable:
    return ("p", part(value.function), _partial_arguments(value, part))


def _partial_arguments(value: Partial | Getter, part: PartKey) -> Hashable:
    return (*map(part, value.args), *[(k, part(v)) for k, v in value.kwargs])


def _wrapped(value: Wrapped, part: PartKey) -> Hashable:
    return ("w", value.description, part(value.function))


def _compiled(value: CompiledFunction, part: PartKey) -> Hashable:
    return (_wrapped(value, part), None if value.reference is None else part(value.reference))


def _property(value: Property, part: PartKey) -> Hashable:
    return (_wrapped(value, part), None if value.setter is None else part(value.setter))


_OBJECTS: Final = frozenset((Function, Class))
"""Classes of values whose keys do not depend on what is in them."""
_STRUCTURES: Final[HandlersByClass[Callable[[Any, PartKey], Hashable]]] = HandlersByClass(
    {
        Instance: lambda value, part: _instance(value),
        Function: _function,
        Class: lambda value, part: ("c", id(value)),
        ContextVariable: lambda value, part: (
            "context",
            value.cls,
            value.pre_existing,
            None if value.default is None else part(value.default),
        ),
        Getter: lambda value, part: (value.cls, value.pre_existing, _partial_arguments(value, part)),
        WeakReference: lambda value, part: (value.cls, value.pre_existing, part(value.referent)),
        FileObject: lambda value, part: ("file", value.cls, value.pre_existing, part(value.path)),
        Union: lambda value, part: ("u", *map(part, value.members)),
        Seq: _sequence,
        Mapping: _mapping,
        Iterator: _iterator,
        Slice: lambda value, part: ("slice", part(value.lower), part(value.upper), part(value.step)),
        BoundMethod: lambda value, part: ("b", part(value.function), part(value.receiver)),
        BuiltinMethod: lambda value, part: ("o", value.name, part(value.receiver)),
        Super: lambda value, part: ("super", id(value.after), part(value.receiver)),
        Partial: _partial,
        Wrapped: _wrapped,
        CompiledFunction: _compiled,
        Property: _property,
        SuperProperty: lambda value, part: (_wrapped(value, part), part(value.receiver), value.name),
        ContextDecorated: lambda value, part: (_wrapped(value, part), value.manager, value.cause, value.settings),
        DisabledFunction: lambda value, part: (_wrapped(value, part), value.form),
        ForbiddenFunction: lambda value, part: (_wrapped(value, part), value.option, value.stance),
        ErrorOnGraphBreak: lambda value, part: (_wrapped(value, part), value.toggle),
        OpaqueFunction: lambda value, part: (_wrapped(value, part), value.maker),
        TritonKernel: lambda value, part: (
            _wrapped(value, part),
            part(value.grid),
            value.is_tuned,
            value.refused,
        ),
        Pullback: lambda value, part: (_wrapped(value, part), value.from_region),
        Value: lambda value, part: value,
    }
)
