"""Objects that are called for a part of another one: ``operator.attrgetter``, ``itemgetter``, ``methodcaller`` and weak
references.

Dynamo traces the getters of ``operator`` that the region makes (torch/_dynamo/polyfills/operator.py), and takes those
from outside for objects in C.  It traces ``weakref.ref``, but no attribute of ``weakref.proxy``.
"""

from __future__ import annotations

import ast

from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import UNKNOWN, Const, Value
from gblint.values.containers import Seq
from gblint.values.objects import Getter, WeakReference

_PROXY = "weakref.proxy"


def _made(name: str) -> Handler:
    def handler(ctx: CallContext) -> Value:
        if not ctx.args.pos or ctx.args.star is not None or ctx.args.kwstar is not None:
            return UNKNOWN
        return Getter(name, not ctx.frame.mode.tracing, ctx.args.pos, tuple(ctx.args.kw.items()))

    return handler


def call_getter(ctx: CallContext, getter: Getter) -> Value:
    """Call a getter with the object that it takes a part of."""
    if len(ctx.args.pos) != 1 or ctx.args.star is not None:
        return UNKNOWN
    base = ctx.args.pos[0]
    if getter.pre_existing and ctx.frame.mode.tracing:
        ctx.emit("operation", "getter", ("unsupported-method-call",))
        mode = ctx.frame.mode
        ctx.frame.mode = mode.rest_of_frame()
        try:
            return call_getter(ctx, getter)
        finally:
            ctx.frame.mode = mode
    if getter.cls == "operator.methodcaller":
        return ctx.call(_attribute(ctx, base, getter.args[0]), Args(getter.args[1:], dict(getter.kwargs)))
    one = _attribute if getter.cls == "operator.attrgetter" else _item
    parts = tuple(one(ctx, base, each) for each in getter.args)
    return parts[0] if len(parts) == 1 else Seq("tuple", parts)


def _attribute(ctx: CallContext, base: Value, path: Value) -> Value:
    if not isinstance(path, Const) or not isinstance(path.value, str):
        return UNKNOWN
    for name in path.value.split("."):
        base = ctx.get_attribute(base, name)
    return base


def _item(ctx: CallContext, base: Value, index: Value) -> Value:
    return ctx.interp.get_item(base, index, ctx.frame, ctx.node)


def _refer(name: str) -> Handler:
    def handler(ctx: CallContext) -> Value:
        if not ctx.args.pos:
            return UNKNOWN
        if name == _PROXY:
            ctx.emit("call", name, ("call-of-skipped-function",))
        return WeakReference(name, not ctx.frame.mode.tracing, ctx.args.pos[0])

    return handler


def call_reference(ctx: CallContext, reference: WeakReference) -> Value:
    """Call ``weakref.ref(x)``: ``x``, which is alive as long as the caller uses it; a proxy is called like ``x``."""
    if reference.cls != _PROXY:
        return reference.referent
    if ctx.frame.mode.tracing:
        ctx.emit("operation", "weakref", ("unsupported-method-call",))
        return ctx.interp.call_eagerly(reference.referent, ctx.args, ctx.frame, ctx.node)
    return ctx.call(reference.referent, ctx.args)


def attribute_of_reference(
    interp: Interpreter, reference: WeakReference, name: str, frame: Frame, node: ast.AST
) -> Value | None:
    """Return an attribute of what a proxy refers to; None for ``weakref.ref``."""
    if reference.cls != _PROXY:
        return None
    if frame.mode.tracing:
        interp.emit(frame, node, "operation", "weakref", ("could-not-find-name-in-objects-mro",))
    return interp.get_attribute(reference.referent, name, frame, node)


HANDLERS: dict[str, Handler] = {
    **{f"operator.{name}": _made(f"operator.{name}") for name in ("attrgetter", "itemgetter", "methodcaller")},
    "weakref.ref": _refer("weakref.ref"),
    _PROXY: _refer(_PROXY),
}
