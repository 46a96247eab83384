"""Descriptions of values, for users who ask what the interpreter has inferred."""

from __future__ import annotations

from gblint.values.base import Bottom, Const, Scalar, Tensor, Unknown, Value, members
from gblint.values.containers import Iterator, Mapping, Range, Seq, Slice
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


def in_words(value: Value, depth: int = 0) -> str:
    """Describe ``value`` in a few words: ``Tensor (float, rank 2)``, ``int from a size or None``."""
    return " or ".join(dict.fromkeys(_one(member, depth) for member in members(value)))


def _one(value: Value, depth: int) -> str:
    if isinstance(value, Const):
        text = repr(value.value)
        return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    if isinstance(value, Scalar):
        return value.kind + _ORIGINS[value.origin]
    if isinstance(value, Tensor):
        return _tensor(value)
    if isinstance(value, Unknown):
        return {"tensor": "unknown, maybe a Tensor", "unpassed": "not passed by any call seen"}.get(
            value.hint, "unknown"
        )
    if isinstance(value, Bottom):
        return "no value: control never gets here"
    return _collection(value, depth) or _object(value)


def _tensor(value: Tensor) -> str:
    known = [value.dtype] if value.dtype else []
    known += [f"rank {value.rank}"] if value.rank is not None else []
    known += ["input"] if value.is_input else []
    known += ["value known"] if value.constant else []
    known += [] if value.proven else ["by its name or use only"]
    return ("ndarray" if value.ndarray else "Tensor") + (f" ({', '.join(known)})" if known else "")


def _collection(value: Value, depth: int) -> str:
    if isinstance(value, Seq):
        if depth >= _DEEPEST:
            return value.cls
        if value.items is None:
            return f"{value.cls} of {in_words(value.rest, depth + 1)}"
        return f"{value.cls} of {len(value.items)}" + _listed([in_words(v, depth + 1) for v in value.items])
    if isinstance(value, Mapping):
        if depth >= _DEEPEST:
            return value.cls
        pairs = [f"{in_words(k, depth + 1)}: {in_words(v, depth + 1)}" for k, v in value.entries]
        more = "" if value.rest is None else " and keys that are not known"
        return f"{value.cls} of {len(pairs)}{_listed(pairs)}{more}"
    if isinstance(value, Iterator):
        return f"{value.cls} over {in_words(value.item, depth + 1)}" + (", made outside" if value.pre_existing else "")
    if isinstance(value, Range):
        return "range" if value.count is None else f"range of {value.count}"
    return "slice" if isinstance(value, Slice) else ""


def _listed(words: list[str]) -> str:
    if not words:
        return ""
    shown = list(dict.fromkeys(words))
    return f" ({', '.join(shown[:_FEW])}{', ...' if len(shown) > _FEW else ''})"


def _object(value: Value) -> str:
    if isinstance(value, Instance):
        return f"{value.class_name.rpartition('.')[2]} object" + (
            " (attributes not all known)" if value.partial else ""
        )
    if isinstance(value, ExternalObject):
        return f"{value.cls} object"
    if isinstance(value, Function):
        return f"function {value.name}"
    if isinstance(value, BoundMethod):
        return f"method {in_words(value.function).removeprefix('function ')}"
    if isinstance(value, BuiltinMethod):
        return f"method {value.name} of {in_words(value.receiver, _DEEPEST)}"
    if isinstance(value, (Partial, Wrapped)):
        kind = "partial" if isinstance(value, Partial) else value.description
        return f"{in_words(value.function)} ({kind})"
    if isinstance(value, Class):
        return f"class {value.name}"
    if isinstance(value, Super):
        return f"super() after {value.after.name}"
    return value.name if isinstance(value, (ExternalName, ModuleRef)) else type(value).__name__
