"""Function objects and similar objects made in the region: nested functions, dataclass fields, getters, weak
references.

For a function defined in the region Dynamo has no function object, only code and closure.
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import tensor_text
from gblint.interp.models.python import input_containers
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import BOTTOM, NONE, UNKNOWN, Const, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join
from gblint.values.objects import BoundMethod, Class, ExternalObject, Function, Instance, Partial

# Functions of ``inspect`` that read the defaults or the annotations of a function.
_INSPECTIONS: Final = frozenset(
    f"inspect.{name}" for name in ("get_annotations", "getcallargs", "getclosurevars", "getfullargspec", "signature")
)


def is_nested(function: Value) -> bool:
    """Return whether ``function`` was defined in a function of the region."""
    return isinstance(function, Function) and function.scope is not None and function.scope.in_region


def copy_name(interp: Interpreter, function: Value | None, frame: Frame, node: ast.AST) -> None:
    """Report a call that copies ``__name__`` of a partial, which has none, by ``functools.update_wrapper``.

    Python catches the AttributeError there; Dynamo does not.
    """
    if isinstance(function, Partial) and frame.mode.tracing:
        interp.emit(frame, node, "operation", "partial-name", ("observed-exception",))


def shown(interp: Interpreter, name: str, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report ``str`` or ``repr`` of a function whose closure contains a value that is not constant."""
    if isinstance(value, Function) and frame.mode.tracing and _closes_over_tensor(value):
        interp.emit(
            frame,
            node,
            "operation",
            "nested-function",
            ("repr-of-non-constructible-closure",) if name == "repr" else ("failed-to-trace-builtin-operator",),
        )


def _closes_over_tensor(function: Function) -> bool:
    scope = function.scope
    if scope is None or not is_nested(function):
        return False
    arguments = {a.arg for a in ast_walk.walk(function.node) if isinstance(a, ast.arg)}
    used = {n.id for n in ast_walk.walk(function.node) if isinstance(n, ast.Name)} - arguments
    return any(_is_variable(scope.cells.get(name)) for name in used)


def _is_variable(value: Value | None) -> bool:
    if isinstance(value, Seq):
        return any(_is_variable(v) for v in value.items or ())
    if isinstance(value, Mapping):
        return any(_is_variable(v) for _, v in value.entries)
    return isinstance(value, (Tensor, Instance))


def bound(ctx: CallContext) -> Value:
    """``types.FunctionType.__get__(function, instance)``."""
    if len(ctx.args.pos) < 2:
        return UNKNOWN
    return bind(ctx, ctx.args.pos[0], ctx.args.pos[1], "unsupported-function-get-call")


def bind(ctx: CallContext, function: Value, instance: Value, cause: str) -> Value:
    """Return a method of ``instance``; Dynamo does not bind a function that is defined in the region."""
    if is_nested(function):
        ctx.emit("operation", "binding", (cause,))
    return BoundMethod(function, instance)


def check_inspected(ctx: CallContext, name: str) -> None:
    """Report ``inspect.signature`` and its like of a function of the region, for which Dynamo has no object to read."""
    if name in _INSPECTIONS and all(map(is_nested, members(ctx.args.first))):
        ctx.emit("operation", "nested-function", ("observed-exception",))


def method_type(ctx: CallContext) -> Value:
    """``types.MethodType(function, instance)``."""
    if len(ctx.args.pos) != 2:
        return UNKNOWN
    function, instance = ctx.args.pos
    if not is_nested(function):
        ctx.emit("call", "types.MethodType", ("unsupported-function-call",))
    return bind(ctx, function, instance, "unsupported-function-call")


def cached(ctx: CallContext) -> Value:
    """``functools.lru_cache(function)`` and ``functools.cache(function)``; the first may be called with a size."""
    if isinstance(ctx.args.first, Function):
        ctx.emit("call", "functools.lru_cache", ("unsupported-method-call",))
    return ctx.args.first


def name_of_attribute(ctx: CallContext, call: str, cause: str, name: Value) -> None:
    """Report ``getattr`` and ``setattr`` with a name that is the text of a tensor or object."""
    if tensor_text.shows_tensor(name) or tensor_text.shows_object(name):
        ctx.emit("operation", f"{call}-name", (cause,))


def context_function(ctx: CallContext, function: Value | None) -> None:
    """Report ``checkpoint(..., context_fn=functools.partial(f, tensor))``: Dynamo needs constant arguments."""
    for member in members(function or NONE):
        if isinstance(member, Partial):
            values = (*member.args, *(v for _, v in member.kwargs))
            if any(isinstance(v, Tensor) for v in values):
                ctx.emit("operation", "context-function", ("not-a-python-constant",))


def object_of(name: str) -> Handler:
    """Return a model that makes an object of which only the class matters."""
    return lambda ctx: ExternalObject(name)


HANDLERS: dict[str, Handler] = {
    "types.MethodType": method_type,
    "functools.lru_cache": cached,
    "functools.cache": cached,
    "types.FunctionType.__get__": bound,
    "types.MappingProxyType": input_containers.proxy,
    "weakref.ref": object_of("weakref.ref"),
    **{f"operator.{name}": object_of(f"operator.{name}") for name in ("attrgetter", "itemgetter", "methodcaller")},
}


def store_in_class(ctx: CallContext, cls: Class) -> None:
    """Run ``setattr(cls, name, value)`` outside of a region, as a decorator of the class does."""
    _, name, value = ctx.args.pos
    if isinstance(name, Const) and isinstance(name.value, str):
        old = cls.attrs.get(name.value, BOTTOM)
        cls.attrs[name.value] = new = join(old, value)
        ctx.interp.caches.class_attributes.clear()
        ctx.interp.note_change(ctx.frame, old, new)
