"""Input values: small immutable trees, each of which is a Python expression.

A value in the search is always the value of its expression, so the expression shown to the user rebuilds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Literal, Union

Fill = Literal["normal", "uniform", "integers", "ones", "zeros", "full", "arange"]
MAX_ELEMENTS = 1 << 20


@dataclass(frozen=True, slots=True)
class TensorInput:
    """A tensor; ``high`` is the exclusive upper bound of random integers, or the value of a "full" tensor."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    fill: Fill = "normal"
    high: int = 0
    labels: tuple[str, ...] = ()

    @property
    def is_integer(self) -> bool:
        """Whether it holds ids, counts or positions."""
        return self.dtype in ("int64", "int32", "uint8", "int16", "int8")

    @property
    def fits(self) -> bool:
        """Whether it is small enough to create, and has no negative size."""
        return prod(self.shape) <= MAX_ELEMENTS and all(size >= 0 for size in self.shape)

    def label(self, index: int) -> str:
        """Return the name of a dimension, or ""."""
        return self.labels[index] if index < len(self.labels) else ""

    def with_size(self, index: int, size: int) -> TensorInput:
        """Return the tensor with another size of one dimension."""
        return replace(self, shape=(*self.shape[:index], size, *self.shape[index + 1 :]))

    def of_dtype(self, dtype: str, high: int = 0) -> TensorInput:
        """Return a tensor of the same shape with another dtype."""
        if dtype == "bool":
            return replace(self, dtype=dtype, fill="ones", high=0)
        if dtype in ("float32", "float64", "float16", "bfloat16", "complex64"):
            return replace(self, dtype=dtype, fill="normal", high=0)
        return replace(self, dtype=dtype, fill="integers", high=high or self.high or 4)

    def source(self) -> str:
        """Return the expression."""
        sizes = ", ".join(map(str, self.shape))
        shape = f"({sizes},)" if len(self.shape) == 1 else f"({sizes})"
        plain = {"integers": "int64", "arange": "int64"}.get(self.fill, "float32")
        dtype = "" if self.dtype == plain else f", dtype=torch.{self.dtype}"
        if self.fill == "integers":
            return f"torch.randint(0, {max(self.high, 1)}, {shape}{dtype})"
        if self.fill == "arange":
            text = f"torch.arange({self.shape[-1]}{dtype})"
            return text if len(self.shape) == 1 else f"{text}.expand{shape}"
        if self.fill == "full":
            return f"torch.full({shape}, {self.high}, dtype=torch.{self.dtype})"
        maker = {"normal": "randn", "uniform": "rand", "ones": "ones", "zeros": "zeros"}[self.fill]
        return f"torch.{maker}({sizes or '()'}{dtype})"


@dataclass(frozen=True, slots=True)
class PlainInput:
    """A number, a string, None, or a tuple or list of these."""

    value: object

    def source(self) -> str:
        """Return the expression."""
        return repr(self.value)


@dataclass(frozen=True, slots=True)
class TextInput:
    """An expression from the sources, or a name."""

    text: str

    def source(self) -> str:
        """Return the expression."""
        return self.text


@dataclass(frozen=True, slots=True)
class GroupInput:
    """A list, a tuple, a dict (with ``keys``), or a call of ``head`` (with "" as key for positional arguments)."""

    kind: Literal["list", "tuple", "dict", "call"]
    items: tuple[Input, ...]
    keys: tuple[str, ...] = ()
    head: str = ""

    def source(self) -> str:
        """Return the expression."""
        parts = [item.source() for item in self.items]
        if self.kind == "list":
            return f"[{', '.join(parts)}]"
        if self.kind == "tuple":
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        if self.kind == "dict":
            return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(self.keys, parts)) + "}"
        named = [f"{key}={part}" if key else part for key, part in zip(self.keys, parts)]
        return f"{self.head}({', '.join(named)})"


Input = Union[TensorInput, PlainInput, TextInput, GroupInput]  # noqa: UP007
InputPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class CallInputs:
    """Arguments of a call: values by parameter name, and the number of positional ones."""

    names: tuple[str, ...] = ()
    values: tuple[Input, ...] = ()
    positional: int = 0

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def get(self, name: str) -> Input | None:
        """Return the value of a parameter, or None."""
        return self.values[self.names.index(name)] if name in self.names else None

    def put(self, name: str, value: Input) -> CallInputs:
        """Return the call with ``name`` passed as ``value``, by keyword if it was not passed before."""
        if name in self.names:
            place = self.names.index(name)
            return replace(self, values=(*self.values[:place], value, *self.values[place + 1 :]))
        return replace(self, names=(*self.names, name), values=(*self.values, value))

    def drop(self, name: str) -> CallInputs:
        """Return the call without ``name``; the positional arguments after it are passed by keyword."""
        place = self.names.index(name)
        names = self.names[:place] + self.names[place + 1 :]
        values = self.values[:place] + self.values[place + 1 :]
        return CallInputs(names, values, min(self.positional, place))

    def leaves(self) -> Iterator[tuple[InputPath, Input]]:
        """Yield every value that is not a group, with its path."""
        for name, value in zip(self.names, self.values):
            yield from _leaves((name,), value)

    def at(self, path: InputPath) -> Input | None:
        """Return the value at a path."""
        value = self.get(str(path[0]))
        for step in path[1:]:
            if not isinstance(value, GroupInput):
                return None
            value = value.items[int(step)]
        return value

    def replaced(self, path: InputPath, new: Input) -> CallInputs:
        """Return the call with another value at a path."""
        whole = self.get(str(path[0]))
        assert whole is not None
        return self.put(str(path[0]), _replaced(whole, path[1:], new))

    def arguments(self) -> str:
        """Return the arguments as written between the parentheses of a call."""
        parts = [value.source() for value in self.values[: self.positional]]
        rest = zip(self.names[self.positional :], self.values[self.positional :])
        return ", ".join([*parts, *(f"{name}={value.source()}" for name, value in rest)])

    def inputs(self) -> str:
        """Return the arguments as one expression: a tuple, a dict, or a pair of both; see :func:`split_inputs`."""
        by_position = GroupInput("tuple", self.values[: self.positional])
        by_name = GroupInput("dict", self.values[self.positional :], self.names[self.positional :])
        if not by_name.items:
            return by_position.source()
        if not by_position.items:
            return by_name.source()
        return f"({by_position.source()}, {by_name.source()})"


def split_inputs(value: object) -> tuple[tuple[object, ...], dict[str, object]]:
    """Return the positional and keyword arguments that the value of an ``inputs`` expression stands for.

    A dict: keyword arguments; ``((...), {...})``: both; any other tuple: positional arguments; anything else: the only
    argument.
    """
    if isinstance(value, dict):
        return (), value
    if type(value) is not tuple:
        return (value,), {}
    if len(value) == 2 and type(value[0]) is tuple and isinstance(value[1], dict):
        return value[0], value[1]
    return value, {}


def _leaves(path: InputPath, value: Input) -> Iterator[tuple[InputPath, Input]]:
    if isinstance(value, GroupInput):
        for index, item in enumerate(value.items):
            yield from _leaves((*path, index), item)
    else:
        yield path, value


def _replaced(value: Input, path: InputPath, new: Input) -> Input:
    if not path:
        return new
    assert isinstance(value, GroupInput)
    place = int(path[0])
    inner = _replaced(value.items[place], path[1:], new)
    return replace(value, items=(*value.items[:place], inner, *value.items[place + 1 :]))
