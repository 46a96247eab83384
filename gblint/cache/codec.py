"""Dataclasses as JSON: fields in order without names, read back by the types of the fields."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from enum import Enum
from typing import Any


class Encoder:
    """Turns dataclasses into plain lists; a string becomes its index in ``strings``, since most strings recur."""

    def __init__(self) -> None:
        self.strings: dict[str, int] = {}

    def encode(self, value: Any) -> Any:
        """Return the value as data for JSON."""
        if isinstance(value, str):
            return self.strings.setdefault(value, len(self.strings))
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, Enum):
            return self.encode(value.value)
        if isinstance(value, frozenset):
            return sorted(self.encode(each) for each in sorted(value))
        if isinstance(value, (list, tuple)):
            return [self.encode(each) for each in value]
        return [self.encode(getattr(value, name)) for name in type(value).__match_args__]


class Decoder:
    """Restores the values of an encoder from the declared types of fields."""

    def __init__(self, strings: list[str]) -> None:
        self._strings = strings
        self._decoders: dict[Any, Callable[[Any], Any]] = {
            str: strings.__getitem__,
            int: _same,
            bool: _same,
            float: _same,
        }

    def decode(self, kind: Any, data: Any) -> Any:
        """Return an object of the type ``kind``; raises TypeError or LookupError for data of another form."""
        return self._decoder(kind)(data)

    def _decoder(self, kind: Any) -> Callable[[Any], Any]:
        decoder = self._decoders.get(kind)
        if decoder is None:
            decoder = self._decoders[kind] = self._new_decoder(kind)
        return decoder

    def _new_decoder(self, kind: Any) -> Callable[[Any], Any]:
        origin = typing.get_origin(kind)
        if origin is typing.Literal:
            return self._decoder(str)
        if origin in (typing.Union, types.UnionType):
            (inner,) = (self._decoder(each) for each in typing.get_args(kind) if each is not type(None))
            return lambda data: None if data is None else inner(data)
        if origin is not None:
            member, container = self._decoder(typing.get_args(kind)[0]), origin
            return lambda data: container(map(member, data))
        if isinstance(kind, type) and issubclass(kind, Enum):
            texts = {each.value for each in kind}
            members = {number: kind(text) for number, text in enumerate(self._strings) if text in texts}
            return members.__getitem__
        fields: list[Callable[[Any], Any]] = []
        made = self._decoders[kind] = lambda data: kind(*[each(item) for each, item in zip(fields, data, strict=True)])
        # The decoder is registered first: a type may have fields of its own type.
        fields += map(self._decoder, _field_types(kind))
        return made


def _same(data: Any) -> Any:
    return data


def _field_types(kind: Any) -> list[Any]:
    hints = typing.get_type_hints(kind)
    return [hints[name] for name in kind.__match_args__]
