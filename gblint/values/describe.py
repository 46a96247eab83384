"""Descriptions of values, for users who ask what the interpreter has inferred."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gblint.values.base import Bottom, Const, Scalar, Tensor, Unknown, Value, members
from gblint.values.containers import Iterator, Mapping, Range, Seq, Slice
from gblint.values.dispatch import HandlersByClass
from gblint.values.objects import (
    BoundMethod,
    BuiltinMethod,
    Class,
    ExternalName,
    ExternalObject,
    Function,
    Instance,
    ModuleRef,
    Partial,
    Super,
)
from gblint.values.wrapped import Wrapped

_LONGEST = 40
_FEW = 4
_DEEPEST = 3
_ORIGINS = {"python": "", "size": " from a size", "data": " from the data of a tensor", "random": " drawn at random"}
_HINTS = {
    "tensor": "unknown, maybe a Tensor",
    "unpassed": "not passed by any call seen",
    "many": "one of many functions or objects",
}


def in_words(value: Value, depth: int = 0) -> str:
    """Describe ``value`` in a few words: ``Tensor (float, rank 2)``, ``int from a size or None``."""
    return " or ".join(dict.fromkeys(_WORDS[type(member)](member, depth) for member in members(value)))


def _listed(words: list[str]) -> str:
    if not words:
        return ""
    shown = list(dict.fromkeys(words))
    return f" ({', '.join(shown[:_FEW])}{', ...' if len(shown) > _FEW else ''})"


def _constant(value: Const, depth: int) -> str:
    text = repr(value.value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _tensor(value: Tensor, depth: int) -> str:
    known = [value.dtype] if value.dtype else []
    known += [f"rank {value.rank}"] if value.rank is not None else []
    known += ["input"] if value.is_input else []
    known += ["value known"] if value.constant else []
    known += [] if value.proven else ["by its name or use only"]
    return ("ndarray" if value.ndarray else "Tensor") + (f" ({', '.join(known)})" if known else "")


def _sequence(value: Seq, depth: int) -> str:
    if depth >= _DEEPEST:
        return value.cls
    if value.items is None:
        return f"{value.cls} of {in_words(value.rest, depth + 1)}"
    return f"{value.cls} of {len(value.items)}" + _listed([in_words(v, depth + 1) for v in value.items])


def _mapping(value: Mapping, depth: int) -> str:
    if depth >= _DEEPEST:
        return value.cls
    pairs = [f"{in_words(k, depth + 1)}: {in_words(v, depth + 1)}" for k, v in value.entries]
    more = "" if value.rest is None else " and keys that are not known"
    return f"{value.cls} of {len(pairs)}{_listed(pairs)}{more}"


def _iterator(value: Iterator, depth: int) -> str:
    return f"{value.cls} over {in_words(value.item, depth + 1)}" + (", made outside" if value.pre_existing else "")


def _instance(value: Instance, depth: int) -> str:
    return f"{value.class_name.rpartition('.')[2]} object" + (" (attributes not all known)" if value.partial else "")


_WORDS: Final[HandlersByClass[Callable[[Any, int], str]]] = HandlersByClass(
    {
        Const: _constant,
        Scalar: lambda value, depth: value.kind + _ORIGINS[value.origin],
        Tensor: _tensor,
        Unknown: lambda value, depth: _HINTS.get(value.hint, "unknown"),
        Bottom: lambda value, depth: "no value: this line is never reached",
        Seq: _sequence,
        Mapping: _mapping,
        Iterator: _iterator,
        Range: lambda value, depth: "range" if value.count is None else f"range of {value.count}",
        Slice: lambda value, depth: "slice",
        Instance: _instance,
        ExternalObject: lambda value, depth: f"{value.cls} object",
        Function: lambda value, depth: f"function {value.name}",
        BoundMethod: lambda value, depth: f"method {in_words(value.function).removeprefix('function ')}",
        BuiltinMethod: lambda value, depth: f"method {value.name} of {in_words(value.receiver, _DEEPEST)}",
        Partial: lambda value, depth: f"{in_words(value.function)} (partial)",
        Wrapped: lambda value, depth: f"{in_words(value.function)} ({value.description})",
        Class: lambda value, depth: f"class {value.name}",
        Super: lambda value, depth: f"super() after {value.after.name}",
        ExternalName: lambda value, depth: value.name,
        ModuleRef: lambda value, depth: value.name,
        Value: lambda value, depth: type(value).__name__,
    }
)
