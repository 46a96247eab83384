"""Strings that show a tensor: Dynamo carries them along unread, and breaks where their characters are asked for.

It keeps the format and the values (``StringFormatVariable``); to return or raise such a string needs no more.
"""

from __future__ import annotations

from typing import Final

from gblint.values.base import Scalar, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.join import element

TENSOR_TEXT: Final = Scalar("str", "data")


def shows_tensor(value: Value) -> bool:
    """Whether ``value`` is a string with the text of a tensor in it."""
    return any(isinstance(v, Scalar) and v.kind == "str" and v.origin == "data" for v in members(value))


def has_tensor(value: Value) -> bool:
    """Whether the text of ``value`` shows a tensor."""
    for member in members(value):
        if isinstance(member, Tensor) or shows_tensor(member):
            return True
        if isinstance(member, Seq) and any(isinstance(v, Tensor) for v in members(element(member))):
            return True
        if isinstance(member, Mapping) and any(isinstance(v, Tensor) for _, v in member.entries):
            return True
    return False
