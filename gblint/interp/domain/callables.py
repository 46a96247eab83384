"""Callables: their names, and whether their source is available."""

from __future__ import annotations

from gblint.values.base import Value
from gblint.values.objects import (
    BoundMethod,
    Class,
    ExternalName,
    Function,
    Partial,
    is_nn_module,
)
from gblint.values.wrapped import Wrapped


def name_of(function: Value) -> str:
    """Return the name of a function for messages."""
    if isinstance(function, (BoundMethod, Wrapped, Partial)):
        return name_of(function.function)
    if isinstance(function, (Function, ExternalName, Class)):
        return function.name
    return "function"


def is_user_callable(value: Value) -> bool:
    """Return whether a call of ``value`` runs code whose source is available."""
    return isinstance(value, (Function, BoundMethod, Partial, Wrapped)) or is_nn_module(value)
