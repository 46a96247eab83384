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


def first_taken(function: Value, args: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the leading arguments that a function has positional parameters for."""
    bound = isinstance(function, BoundMethod)
    written = function.function if isinstance(function, BoundMethod) else function
    if not isinstance(written, Function) or written.node.args.vararg is not None:
        return args
    spec = written.node.args
    return args[: len(spec.posonlyargs) + len(spec.args) - int(bound)]
