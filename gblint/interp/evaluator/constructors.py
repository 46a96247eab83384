"""Hooks with source that make objects and classes: ``__call__`` of a metaclass, ``__new__``, ``__set_name__``."""

from __future__ import annotations

import ast

from gblint.interp.domain import call_state
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import UNKNOWN, Const, Value
from gblint.values.objects import BoundMethod, Class, Function, Instance
from gblint.values.wrapped import Wrapped


def by_metaclass(ctx: CallContext, cls: Class) -> Instance | None:
    """Return the object that the ``__call__`` of the metaclass of ``cls`` makes; None without one.

    Dynamo makes the object without it.
    """
    keywords = [(owner, each.value) for owner in cls.mro for each in owner.node.keywords if each.arg == "metaclass"]
    place = ("metaclass", id(cls))
    if not keywords or ctx.frame.mode.tracing or place in ctx.interp.calls.in_progress:
        return None
    owner, expression = keywords[0]
    meta = ctx.interp.eval(expression, ctx.interp.module_frame(owner.module))
    method = ctx.interp.class_attribute(meta, "__call__") if isinstance(meta, Class) else None
    if not isinstance(method, Function):
        return None
    ctx.interp.calls.in_progress.add(place)
    try:
        made = ctx.call(BoundMethod(method, cls), ctx.args)
    finally:
        ctx.interp.calls.in_progress.discard(place)
    return made if isinstance(made, Instance) else None


def by_new(ctx: CallContext, cls: Class) -> Instance | None:
    """Return the object that a ``__new__`` of ``cls`` makes, before its ``__init__`` runs; None without one."""
    new = ctx.interp.class_attribute(cls, "__new__")
    if not isinstance(new, (Function, Wrapped)) or cls.inherits("builtins.tuple", "builtins.str"):
        return None
    function = new.function if isinstance(new, Wrapped) else new
    made = ctx.call(function, ctx.args.prepend(cls))
    return made if isinstance(made, Instance) and isinstance(made.cls, Class) else None


def name_descriptor(interp: Interpreter, descriptor: Instance, owner: Class, name: str) -> None:
    """Call ``__set_name__`` of a descriptor in the body of a class."""
    method = interp.class_attribute(descriptor.cls, "__set_name__") if isinstance(descriptor.cls, Class) else None
    if isinstance(method, Function):
        with call_state.outside_of_call(interp):
            interp.call(method, Args((descriptor, owner, Const(name))), interp.module_frame(owner.module), owner.node)


def automatic_value(cls: Class, name: str) -> Value:
    """Return the value of ``name = enum.auto()`` in an enum whose members all have one."""
    table = cls.module.binding_table(cls.node)
    assigned = [key for key, bindings in table.items() if bindings[-1].kind == "assign" and not key.startswith("_")]
    values = [table[key][-1].value for key in assigned]
    if name not in assigned or not all(map(_is_automatic, values)):
        return UNKNOWN
    if cls.inherits("enum.StrEnum"):
        return Const(name.lower())
    position = assigned.index(name)
    return Const(1 << position if cls.inherits("enum.Flag", "enum.IntFlag") else position + 1)


def _is_automatic(value: ast.expr | None) -> bool:
    """Return whether an expression is ``auto()``."""
    function = value.func if isinstance(value, ast.Call) else None
    return isinstance(function, (ast.Name, ast.Attribute)) and ast.unparse(function).rpartition(".")[2] == "auto"
