"""Defaults of parameters in calls for which Dynamo has no source: constructors, and methods of new objects.

Dynamo reads the default of a global function from its ``__defaults__``.  Without a source for the function it has to
make the value itself (torch/_dynamo/variables/builder.py, ``SourcelessBuilder``), which it can do for constants,
functions, classes and containers of these.  It cannot give such a function to the code after the graph
(torch/_dynamo/variables/functions.py, ``UserFunctionVariable`` without source).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.domain import builtin_names
from gblint.interp.models.python import stacked_methods
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import Tensor, Value, members
from gblint.values.containers import Mapping, Range, Seq
from gblint.values.objects import BoundMethod, Class, ExternalName, ExternalObject, Function, Instance, Partial

NO_SOURCE = "no-source"
"""The mark of a function that came from such a default."""
MAX_RETURN_DEPTH = 4
_OBJECTS = ("pathlib.", "logging.", "torch.distributions.", "numpy.")


def of_call(interp: Interpreter, function: Function, args: Args, frame: Frame, node: ast.AST) -> Function:
    """Return the function with its default functions marked, if Dynamo has no source for it; report default objects."""
    receiver = args.pos[0] if args.pos else None
    if not frame.mode.tracing or not isinstance(receiver, Instance) or receiver.pre_existing:
        return function
    if not (function.defaults or function.kw_defaults) or args.star is not None or args.kwstar is not None:
        return function
    if receiver.uid < frame.flow.region_from or not _is_method(function, receiver):
        return function
    missing = list(_missing(function, args))
    if any(map(_is_object, missing)):
        interp.emit(frame, node, "operation", "default-object", ("unexpected-type-in-sourceless-builder",))
    if not any(isinstance(value, Function) for value in missing):
        return function
    defaults = tuple(map(_marked, function.defaults))
    return replace(function, defaults=defaults, kw_defaults=tuple(v and _marked(v) for v in function.kw_defaults))


def _missing(function: Function, args: Args) -> Iterator[Value]:
    """Yield the defaults of the parameters that a call does not give."""
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    first = len(names) - len(function.defaults)
    for index in range(max(first, len(args.pos)), len(names)):
        if names[index] not in args.kw:
            yield function.defaults[index - first]
    for each, value in zip(spec.kwonlyargs, function.kw_defaults):
        if value is not None and each.arg not in args.kw:
            yield value


def _is_method(function: Function, receiver: Instance) -> bool:
    return isinstance(receiver.cls, Class) and function.owner in receiver.cls.mro


def _marked(value: Value) -> Value:
    return replace(value, marks=value.marks | {NO_SOURCE}) if isinstance(value, Function) else value


def _is_object(value: Value) -> bool:
    """Return whether ``SourcelessBuilder`` cannot make a default."""
    if isinstance(value, Seq):
        return any(map(_is_object, value.items or ()))
    if isinstance(value, Mapping):
        return value.cls == "defaultdict" or any(_is_object(item) for _, item in value.entries)
    if isinstance(value, Instance):
        is_enum = isinstance(value.cls, Class) and value.cls.inherits(*builtin_names.ENUMS)
        return value.pre_existing and not is_enum
    if isinstance(value, ExternalObject):
        return value.cls.startswith(_OBJECTS)
    if isinstance(value, ExternalName):
        return value.name.startswith("numpy.") and value.name.rpartition(".")[2].islower()
    return isinstance(value, (Tensor, Range, Partial, BoundMethod))


def returned(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report a function without source, or a method of a new object, in what the entry point returns."""
    found = [_holds_function(member, frame, 0) for member in members(value)]
    if any(found):
        interp.emit(frame, node, "operation", "function-returned", ("reconstruction-failure",), likely=not all(found))


def _holds_function(value: Value, frame: Frame, depth: int) -> bool:
    if isinstance(value, Function):
        return NO_SOURCE in value.marks
    if isinstance(value, BoundMethod):
        return isinstance(value.function, Function) and stacked_methods.is_new(value.receiver, frame)
    if depth > MAX_RETURN_DEPTH:
        return False
    if isinstance(value, Instance) and stacked_methods.is_new(value, frame):
        return any(_holds_function(each, frame, depth + 1) for each in value.attrs.values())
    if isinstance(value, Seq):
        return any(_holds_function(each, frame, depth + 1) for each in value.items or ())
    return isinstance(value, Mapping) and any(_holds_function(each, frame, depth + 1) for _, each in value.entries)
