"""Strings with the text of a tensor or object: Dynamo passes them on, and breaks where their characters are needed.

Dynamo keeps the format and the values (``StringFormatVariable``), which is enough to return or raise such a string.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from typing import Final

from gblint.interp.domain import default_flags
from gblint.values import folding
from gblint.values.base import (
    STR,
    Const,
    Scalar,
    Tensor,
    Value,
    members,
)
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import element, join_all

# A field of "%" formatting whose width or precision is large, or an argument.
_WIDE: Final = re.compile(r"%[^a-zA-Z%]*(?:\d{4}|\*)")
_MAX_TEXTS: Final = 16

TENSOR_TEXT: Final = Scalar("str", "data")
OBJECT_TEXT: Final = Scalar("str", "object")


def shows_tensor(value: Value) -> bool:
    """Return whether ``value`` is a string that contains the text of a tensor."""
    return any(isinstance(v, Scalar) and v.kind == "str" and v.origin == "data" for v in members(value))


def shows_object(value: Value) -> bool:
    """Return whether ``value`` is a string that contains the text of an object, but none of a tensor."""
    return all(isinstance(v, Scalar) and v.kind == "str" and v.origin == "object" for v in members(value))


def has_tensor(value: Value) -> bool:
    """Return whether the text of ``value`` contains the text of a tensor."""
    for member in members(value):
        if isinstance(member, Tensor) or shows_tensor(member):
            return True
        if isinstance(member, Seq) and any(isinstance(v, Tensor) for v in members(element(member))):
            return True
        if isinstance(member, Mapping) and any(isinstance(v, Tensor) for _, v in member.entries):
            return True
    return False


def combined(parts: Sequence[Value], make: Callable[[tuple[object, ...]], str]) -> Value | None:
    """Return the strings that ``make`` returns for all combinations of the alternatives of ``parts``, if known.

    Of options, only the defaults are known: the result is the option whose default ``make`` returns for them.
    """
    found = _of_all(parts, make)
    if found is not None:
        return found
    defaults = [each for each in map(default_flags.of, parts) if each is not None]
    default = _of_all(defaults, make) if len(defaults) == len(parts) else None
    return default_flags.text_option(default) if isinstance(default, Const) else None


def _of_all(parts: Sequence[Value], make: Callable[[tuple[object, ...]], str]) -> Value | None:
    choices = [members(part) for part in parts]
    if math.prod(map(len, choices)) > _MAX_TEXTS:
        return None
    plain: list[list[object]] = []
    for choice in choices:
        known = [v.value for v in choice if isinstance(v, Const)]
        if len(known) < len(choice) or not all(v is None or isinstance(v, (str, int, float)) for v in known):
            return None
        plain.append(known)
    if any(folding.is_large(text) for choice in plain for text in choice):
        return None
    try:
        return join_all(folding.constant(make(chosen)) for chosen in itertools.product(*plain))
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
        return None


def formatted(template: object, values: Value) -> Value:
    """Return ``template % values``, for all combinations of alternatives; that with a wide field is not computed."""
    parts = values.items if isinstance(values, Seq) and values.cls == "tuple" else (values,)
    if not isinstance(template, str) or parts is None or _WIDE.search(template):
        return STR
    return combined(parts, lambda chosen: template % chosen) or STR
