"""The functions that a call may reach: those of which only one is in use, and those that others replace."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from gblint.interp.models.python import call_signatures, exceptions
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.compilation import own_forward
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import NONE, Tensor, Union, Unknown, Value
from gblint.values.objects import BoundMethod, Class, Function, Instance, Partial, is_nn_module
from gblint.values.wrapped import Wrapped

_SITE = "site-packages"
_NO_TENSORS = ("bool", "str")
# So many functions or classes that may be called make a break of one of them unlikely.
MANY_FUNCTIONS = 4


def callable_with(ctx: CallContext, functions: Sequence[Value]) -> Sequence[Value]:
    """Return the functions whose parameters take the arguments; all of them if no known one does.

    The call of any other mostly raises a ``TypeError``: what decides that it is not called is not known here.  What is
    passed by ``**`` may depend on the function.
    """
    if not call_signatures.is_spelled_out(ctx.node):
        return functions
    if exceptions.is_caught(ctx.frame, ctx.node, "TypeError"):
        return functions
    taking = [each for each in functions if may_take(ctx.interp, each, ctx.args)]
    return functions if all(each == NONE or isinstance(each, Unknown) for each in taking) else taking


def may_take(interp: Interpreter, function: Value, args: Args) -> bool:
    """Return whether the call of a function, class or object may succeed; a decorator may change the parameters."""
    if args.star is not None or args.kwstar is not None:
        return True
    if isinstance(function, Instance) and isinstance(function.cls, Class):
        method = interp.class_attribute(function.cls, "__call__")
        if method is None and is_nn_module(function) and own_forward(function) is None:
            method = interp.class_attribute(function.cls, "forward")
        return method is None or may_take(interp, method, args.prepend(function))
    if isinstance(function, Class):
        made = interp.class_attribute(function, "__new__")
        method = interp.class_attribute(function, "__init__") if made is None else None
        return method is None or may_take(interp, method, args.prepend(function))
    if isinstance(function, BoundMethod):
        return may_take(interp, function.function, args.prepend(function.receiver))
    if not isinstance(function, Function):
        return True
    is_decorated = not isinstance(function.node, ast.Lambda) and bool(function.node.decorator_list)
    return is_decorated or (call_signatures.fits(function, args) and not _contradicts(function, args))


def _contradicts(function: Function, args: Args) -> bool:
    """Return whether a tensor is passed for a flag or a text; for a number it often is, whatever is annotated."""
    spec = function.node.args
    parameters = (*spec.posonlyargs, *spec.args)
    passed = [*zip(parameters, args.pos), *((p, args.kw[p.arg]) for p in spec.kwonlyargs if p.arg in args.kw)]
    passed += [(p, args.kw[p.arg]) for p in parameters[len(args.pos) :] if p.arg in args.kw]
    return any(
        isinstance(p.annotation, ast.Name) and p.annotation.id in _NO_TENSORS and isinstance(value, Tensor)
        for p, value in passed
    )


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
