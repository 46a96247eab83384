"""The functions that a call may reach: those of which only one is in use, and those that others replace."""

from __future__ import annotations

from collections.abc import Iterable

from gblint.values.base import Union, Value
from gblint.values.objects import BoundMethod, Class, Function, Instance, Partial, is_nn_module
from gblint.values.wrapped import Wrapped

_SITE = "site-packages"
# So many functions or classes that may be called make a break of one of them unlikely.
MANY_FUNCTIONS = 4


def are_many(functions: Iterable[Value]) -> bool:
    """Return whether so many functions or classes may be called that a break of one of them is unlikely."""
    kinds = (Function, Class, Wrapped, Partial)
    return sum(isinstance(each, kinds) for each in functions) >= MANY_FUNCTIONS


def plugins(functions: Iterable[Value]) -> set[Value]:
    """Return the classes of an installed library whose objects have these methods; the project uses one of them.

    A library that is linted itself (``--follow``) has no plugins: all its classes matter.
    """
    found: set[Value] = set()
    for each in functions:
        if isinstance(each, BoundMethod) and isinstance(each.receiver, Instance) and not is_nn_module(each.receiver):
            function = each.function
            if is_of_library(each) and isinstance(function, Function) and _SITE in function.module.path.parts:
                found.add(each.receiver.cls)
    return found


def hidden_method(function: Union) -> BoundMethod | None:
    """Return the method of a class among the values of ``x.method``, which code replaces under some condition."""
    for each in function.members:
        if isinstance(each, BoundMethod) and isinstance(each.receiver, Instance):
            own = each.function.name.rpartition(".")[2] if isinstance(each.function, Function) else "forward"
            if function in map(each.receiver.attrs.get, ("forward", "__call__", own)):
                return each
    return None


def is_of_library(function: Value) -> bool:
    """Return whether a function, or the one behind a wrapper or a method, is that of a library."""
    while isinstance(function, (Wrapped, BoundMethod, Partial)):
        function = function.function
    return isinstance(function, Function) and function.module.origin == "library"
