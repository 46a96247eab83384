"""Values for annotations: containers, records, enums, literals and modules."""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import inspect
import re
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from gblint.confirm.inputs import by_parameter_name, namespace, shapes
from gblint.confirm.inputs.flow_values import ArgumentFlow, PartPath
from gblint.confirm.inputs.target_facts import Parameter
from gblint.confirm.inputs.values import GroupInput, Input, PlainInput, TensorInput, TextInput

_SEQUENCES = (
    list,
    collections.abc.Sequence,
    collections.abc.Iterable,
    collections.abc.Collection,
    collections.abc.MutableSequence,
)
_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping, collections.OrderedDict)
_TYPED_TENSORS = {
    "LongTensor": "int64",
    "IntTensor": "int32",
    "BoolTensor": "bool",
    "FloatTensor": "float32",
    "HalfTensor": "float16",
    "ByteTensor": "uint8",
    "Tensor": "",
    "TensorType": "",
    "TensorLike": "",
}
_TYPE_WORDS: tuple[tuple[str, Any], ...] = (
    (r"(list|sequence)\s*[\[(of ]+\s*(int|float|str)", list),
    (r"tuple\s*[\[(of ]+\s*(int)", tuple[int, int]),
    (r"(list|sequence|tuple)\s*[\[(of ]+\s*(torch\.)?tensors?", "tensors"),
    (r"(torch\.)?(\w*tensor)\b", "tensor"),
    (r"\bint(eger)?\b", int),
    (r"\bfloat\b", float),
    (r"\bbool(ean)?\b", bool),
    (r"\bstr(ing)?\b", str),
    (r"\bcallable\b", collections.abc.Callable),
)


class ValueGuesser(Protocol):
    """Guesses for values of annotations; :class:`~gblint.confirm.inputs.guesser.Guesser` implements it.

    ``fields`` collects the shapes in comments next to the fields of records.
    """

    names: Mapping[str, Any]
    flow: ArgumentFlow | None
    parameters: dict[str, Parameter]
    fields: dict[str, Parameter]

    @property
    def constructs(self) -> bool:
        """Whether the call is a constructor's."""

    def tensors(self, name: str, place: PartPath, parameter: Parameter, dtype: str = "") -> Iterator[TensorInput]:
        """Yield tensors for a part of an argument."""

    def structured(self, name: str, place: PartPath, parameter: Parameter) -> Iterator[Input]:
        """Yield dicts, lists and objects for a part of an argument."""

    def input_for_part(self, name: str, place: PartPath) -> Input:
        """Return the most likely value for a part of an argument."""

    def list_of_parts(self, name: str, place: PartPath, count: int) -> Input:
        """Return a list of parts."""

    def plain_value(self, name: str) -> Input:
        """Return a value for a field, given only its name."""

    def construct(self, cls: type) -> Input | None:
        """Return a call of a class, or None."""


def documented_type(text: str) -> Any:
    """Return the type that a docstring entry begins with, or None."""
    match = re.match(r"\s*\(([^)]*)\)|\s*:\s*([\w.\[\], |]+?)(?:$|\s{1}[A-Z])", text)
    if match is None:
        return None
    type_text = (match[1] or match[2] or "").lower()
    for pattern, kind in _TYPE_WORDS:
        if re.match(rf"\s*(?:optional\[)?{pattern}", type_text):
            if kind is list:
                inner = re.search(r"(int|float|str)", type_text)
                return list[{"int": int, "float": float, "str": str}[inner[1]]] if inner else list[int]  # type: ignore[misc]
            return tensor_type() if kind == "tensor" else list[tensor_type()] if kind == "tensors" else kind  # type: ignore[misc]
    return None


def tensor_type() -> Any:
    """Return ``torch.Tensor``."""
    import torch

    return torch.Tensor


def values_of_type(guesser: ValueGuesser, kind: Any, name: str, place: PartPath, depth: int = 0) -> Iterator[Input]:
    """Yield values of the annotated type, the most likely first."""
    if depth > 5:
        return
    kind = getattr(kind, "__value__", kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated or origin is typing.Final:
        yield from values_of_type(guesser, inner[0], name, place, depth + 1)
    elif origin is typing.Union or origin is types.UnionType:
        members = sorted((each for each in inner if each is not type(None)), key=lambda each: not _is_tensor(each))
        for each in members:
            yield from values_of_type(guesser, each, name, place, depth + 1)
        if type(None) in inner and guesser.constructs:
            yield PlainInput(None)
    elif origin is typing.Literal:
        yield from (PlainInput(each) for each in inner)
    elif origin is type:
        yield from _classes(guesser, inner)
    elif origin in (collections.abc.Callable, typing.Callable) or kind in (collections.abc.Callable, typing.Callable):
        yield TextInput("torch.nn.ReLU" if "layer" in name else "torch.nn.functional.relu")
        yield TextInput("torch.nn.Identity()")
    elif origin is tuple or kind is tuple:
        yield from _tuple(guesser, inner, name, place, depth)
    elif origin in _SEQUENCES or kind in _SEQUENCES:
        yield from _list(guesser, inner, name, place, depth)
    elif origin in _MAPPINGS or kind in _MAPPINGS:
        yield from _mapping(guesser, inner, name, place, depth)
    else:
        yield from _plain(guesser, kind, name, place, depth)


def _is_tensor(kind: Any) -> bool:
    """Return whether a type is a tensor type."""
    name = getattr(kind, "__name__", "")
    return name in _TYPED_TENSORS or (inspect.isclass(kind) and issubclass(kind, tensor_type()))


def _plain(guesser: ValueGuesser, kind: Any, name: str, place: PartPath, depth: int) -> Iterator[Input]:
    """Yield values of a type that is not a container."""
    if _is_tensor(kind):
        parameter = (
            guesser.parameters.get(name, Parameter(name))
            if len(place) == 1
            else guesser.fields.get(name, Parameter(name))
        )
        dtype = _TYPED_TENSORS.get(kind.__name__, "")
        yield from guesser.tensors(name, place, parameter, "" if dtype == "float32" else dtype)
    elif kind in (int, float, bool, str):
        yield from _scalar(guesser, kind, name)
    elif not inspect.isclass(kind):
        return
    elif issubclass(kind, enum.Enum):
        yield from (TextInput(f"{namespace.reference(kind, guesser.names)}.{each.name}") for each in list(kind)[:4])
    elif kind.__module__.startswith("torch") and kind.__name__ in ("device", "dtype"):
        yield TextInput("torch.float32" if kind.__name__ == "dtype" else "torch.device('cpu')")
    elif kind.__name__ == "ndarray":
        yield TextInput("__import__('numpy').zeros((2, 32), dtype='float32')")
    elif _is_record(kind):
        yield from _record(guesser, kind, place, depth)
    elif kind.__module__.startswith("torch.nn.modules") and kind.__name__ in ("Module", "Sequential"):
        yield TextInput(
            "torch.nn.Identity()" if kind.__name__ == "Module" else "torch.nn.Sequential(torch.nn.Identity())"
        )
        yield TextInput(f"torch.nn.Linear({by_parameter_name.WIDTH}, {by_parameter_name.WIDTH})")
    elif kind not in (object, type) and kind.__module__ not in ("builtins", "typing"):
        made = guesser.construct(kind)
        if made is not None:
            yield made


def _is_record(kind: Any) -> bool:
    """Return whether a class is a dataclass, TypedDict or NamedTuple."""
    return (
        dataclasses.is_dataclass(kind)
        or typing.is_typeddict(kind)
        or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    )


def _record(guesser: ValueGuesser, kind: Any, place: PartPath, depth: int) -> Iterator[Input]:
    """Yield a dataclass, NamedTuple or TypedDict with its required fields."""
    scope = vars(inspect.getmodule(kind) or types)
    hints: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        hints.update(namespace.evaluated(inspect.get_annotations(base), scope))
    if not hints:
        hints = namespace.evaluated(getattr(kind, "__annotations__", {}), scope)
    if dataclasses.is_dataclass(kind):
        missing = dataclasses.MISSING
        fields = [
            each.name
            for each in dataclasses.fields(kind)
            if each.init and each.default is missing and each.default_factory is missing
        ]
    elif typing.is_typeddict(kind):
        fields = [each for each in hints if each in kind.__required_keys__]
    else:
        fields = [each for each in kind._fields if each not in kind._field_defaults]
    guesser.fields.update(_field_comments(kind))
    step = "key" if typing.is_typeddict(kind) else "attr"
    items: list[Input] = []
    for each in fields:
        inner = (*place, (step, each))
        found = next(iter(values_of_type(guesser, hints.get(each, Any), each, inner, depth + 1)), None)  # type: ignore[arg-type]
        if found is None:
            found = guesser.plain_value(each) if guesser.constructs else guesser.input_for_part(each, inner)  # type: ignore[arg-type]
        items.append(found)
    if step == "key":
        yield GroupInput("dict", tuple(items), tuple(fields))
    else:
        yield GroupInput("call", tuple(items), tuple(fields), namespace.reference(kind, guesser.names))


def _field_comments(kind: Any) -> dict[str, Parameter]:
    """Return the shapes in the comments next to the fields of a class."""
    try:
        lines = inspect.getsource(kind).split("\n")
    except (OSError, TypeError):
        return {}
    found: dict[str, Parameter] = {}
    for line in lines:
        match = re.match(r"\s*(\w+)\s*:[^#]*#(.*)", line)
        if match:
            found[match[1]] = Parameter(match[1], shapes=tuple(shapes.in_text("shape " + match[2], "comment")))
    return found


def _scalar(guesser: ValueGuesser, kind: type, name: str) -> Iterator[Input]:
    """Yield numbers, flags and strings."""
    parameter = guesser.parameters.get(name, Parameter(name))
    if kind is str:
        yield from (PlainInput(word) for word in parameter.choices)
        yield PlainInput(by_parameter_name.word_for(name))
        return
    if guesser.constructs:
        value = by_parameter_name.number_for(name, kind)
        yield PlainInput(value)
        if kind is int:
            yield from (PlainInput(each) for each in (by_parameter_name.WIDTH, 4, 8, 2, 64, 1, 3, 16))
        elif kind is bool:
            yield PlainInput(not value)
        return
    found = by_parameter_name.scalar_for(name, kind)
    if found is not None:
        yield found
    yield PlainInput({int: 1, float: 0.5, bool: True}[kind])


def _classes(guesser: ValueGuesser, inner: tuple[Any, ...]) -> Iterator[Input]:
    """Yield classes for ``type[...]``."""
    kind = inner[0] if inner else None
    if inspect.isclass(kind) and kind is not object and kind.__name__ != "Module":
        yield TextInput(namespace.reference(kind, guesser.names))
    yield TextInput("torch.nn.LayerNorm")
    yield TextInput("torch.nn.ReLU")


def _tuple(guesser: ValueGuesser, inner: tuple[Any, ...], name: str, place: PartPath, depth: int) -> Iterator[Input]:
    """Yield tuples."""
    if not inner or (len(inner) == 2 and inner[1] is Ellipsis):
        for each in _list(guesser, inner[:1], name, place, depth):
            if isinstance(each, GroupInput):
                yield GroupInput("tuple", each.items)
            elif isinstance(each, PlainInput) and isinstance(each.value, list):
                yield PlainInput(tuple(each.value))
        return
    items: list[Input] = []
    for index, kind in enumerate(inner):
        found = next(iter(values_of_type(guesser, kind, name, (*place, ("item", index)), depth + 1)), None)
        items.append(found if found is not None else PlainInput(None))
    yield GroupInput("tuple", tuple(items))


def _list(guesser: ValueGuesser, inner: tuple[Any, ...], name: str, place: PartPath, depth: int) -> Iterator[Input]:
    """Yield lists."""
    kind = inner[0] if inner else Any
    if kind in (int, float, str, bool):
        value = (
            by_parameter_name.number_for(name.rstrip("s"), kind)
            if kind is not str
            else by_parameter_name.word_for(name)
        )
        yield PlainInput([value, value])
        yield PlainInput([value, value, value])
        yield PlainInput([value])
        yield PlainInput([value] * 4)
        return
    if kind is Any and guesser.constructs:
        value = by_parameter_name.number_for(name.rstrip("s"), int)
        yield PlainInput([value, value])
        yield PlainInput([value, value, value])
        return
    if kind is Any or _is_tensor(kind):
        parts = (guesser.flow.parts if guesser.flow is not None else {}).get(place, {})
        count = max([int(what) + 1 for step, what in parts if step == "item" and int(what) >= 0] or [0])
        yield guesser.list_of_parts(name, place, count if count > 1 else 2)
        yield guesser.list_of_parts(name, place, 3 if count != 3 else 4)
        return
    for each in values_of_type(guesser, kind, name, (*place, ("item", 0)), depth + 1):
        yield GroupInput("list", (each, each))


def _mapping(guesser: ValueGuesser, inner: tuple[Any, ...], name: str, place: PartPath, depth: int) -> Iterator[Input]:
    """Yield dicts."""
    parameter = guesser.parameters.get(name, Parameter(name))
    if guesser.constructs:
        yield GroupInput("dict", tuple(guesser.plain_value(key) for key in parameter.keys), parameter.keys)
        return
    found = [
        each
        for each in guesser.structured(name, place, parameter)
        if isinstance(each, GroupInput) and each.kind == "dict"
    ]
    yield from found
    if not found:
        yield GroupInput("dict", ())
