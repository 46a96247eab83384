"""Calls that a class decides: ``functools.singledispatch(f)``, and a member of an enum that defines ``__call__``."""

from __future__ import annotations

from gblint.interp.state.call_context import CallContext
from gblint.values.base import UNKNOWN, Const, Tensor, TextMember, Unknown, Value, members
from gblint.values.lattice import join
from gblint.values.objects import Class, EnumMember, Function, Instance
from gblint.values.wrapped import Wrapped


def single_dispatch(ctx: CallContext, function: Wrapped) -> Value:
    """Call ``functools.singledispatch(f)``: Dynamo looks up the classes of tensors and objects, but no builtin one."""
    is_method = isinstance(function.function, Function) and function.function.owner is not None
    given = ctx.args.pos[int(is_method) :]
    kinds = members(given[0] if given else UNKNOWN)
    refused = [each for each in kinds if not _is_dispatched(each)]
    if refused:
        unsure = len(refused) < len(kinds) or any(isinstance(each, Unknown) for each in refused)
        ctx.emit("call", "functools.singledispatch", ("missing-tp-iter",), likely=unsure)
    return join(ctx.call(function.function, ctx.args), UNKNOWN)


def _is_dispatched(value: Value) -> bool:
    if isinstance(value, Tensor):
        return not value.ndarray
    return isinstance(value, Instance) and isinstance(value.cls, Class)


def constant(ctx: CallContext, value: Const) -> Value:
    """Call a member of an enum; no other constant can be called."""
    if isinstance(value.value, (EnumMember, TextMember)):
        return ctx.call(ctx.get_attribute(value, "__call__"), ctx.args)
    return UNKNOWN
