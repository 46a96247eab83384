"""Builtins that test or order items: any, all, min, max, sorted."""

from __future__ import annotations

from gblint.interp.models.python import super_and_descriptors
from gblint.interp.models.torch.tensor_methods import may_be_tensor
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import (
    BOOL,
    NONE,
    UNKNOWN,
    Bottom,
    Const,
    Scalar,
    Tensor,
    Value,
    members,
    scalar_of,
)
from gblint.values.containers import Iterator, Seq
from gblint.values.lattice import element, is_text, join_all
from gblint.values.objects import Class, Instance


def any_all(name: str) -> Handler:
    """``any`` and ``all``: Dynamo traces them, and breaks at an element that is a tensor."""

    def handler(ctx: CallContext) -> Value:
        value = ctx.args.first
        items = ctx.items_of(value)
        item = join_all(items) if items is not None else ctx.item_of(value)
        if may_be_tensor(item):
            ctx.emit("data-dependent-branch", name, ("data-dependent-branching",), about=item)
            return BOOL
        if items is not None:
            answers = [ctx.interp.truth(v) for v in items]
            stop = name == "any"
            if stop in answers:
                return Const(stop)
            if None not in answers:
                return Const(not stop)
        return BOOL

    return handler


def filter_by(cls: str, cause: str = "data-dependent-branching") -> Handler:
    """Return the model of ``filter``, ``takewhile`` and others: the result of the function is tested for its truth."""

    def handler(ctx: CallContext) -> Value:
        if len(ctx.args.pos) < 2:
            return UNKNOWN
        item = ctx.item_of(ctx.args.pos[1])
        asked = item if ctx.args.pos[0] == NONE else ctx.call(ctx.args.pos[0], Args((item,)))
        if may_be_tensor(asked):
            ctx.emit("data-dependent-branch", "filter", (cause,), about=asked)
        return Iterator(cls, item, not ctx.frame.mode.tracing)

    return handler


def min_max(name: str) -> Handler:
    """``min`` and ``max``: for tensors they become operators; a ``key`` is refused."""

    def handler(ctx: CallContext) -> Value:
        if len(ctx.args.pos) == 1:
            items = ctx.items_of(ctx.args.pos[0])
            values = list(items) if items is not None else [ctx.item_of(ctx.args.pos[0])]
        else:
            values = list(ctx.args.pos)
            if ctx.args.star is not None:
                values.append(ctx.args.star)
        if ctx.args.kw.get("key", NONE) != NONE:
            return _by_key(ctx, name, values, ctx.args.kw["key"])
        _check_objects(ctx, name, values)
        if values and all(isinstance(v, Const) and isinstance(v.value, (int, float)) for v in values):
            numbers = [v.value for v in values if isinstance(v, Const)]
            return Const(min(numbers) if name == "min" else max(numbers))  # type: ignore[type-var]
        flat = [v for value in values for v in members(value) if v != NONE]
        tensors = [v for v in flat if isinstance(v, Tensor)]
        if tensors:
            return join_all(flat) if len(tensors) == len(flat) else Tensor(None, None, all(t.proven for t in tensors))
        result = join_all(scalar_of(v.value) if isinstance(v, Const) else v for v in flat)
        return UNKNOWN if isinstance(result, Bottom) else result

    return handler


def _check_objects(ctx: CallContext, name: str, values: list[Value]) -> None:
    """Report the comparison of objects with ``__lt__`` or ``__gt__``: Dynamo compares numbers and tensors only."""
    objects = [v for value in values for v in members(value) if isinstance(v, Instance)]
    if len(values) > 1 and any(isinstance(v.cls, Class) and super_and_descriptors.is_plain(v.cls) for v in objects):
        ctx.emit("call", f"builtins.{name}", ("failed-to-trace-builtin-operator",))


def _by_key(ctx: CallContext, name: str, values: list[Value], key: Value) -> Value:
    """With a ``key`` Dynamo compares constants only."""
    item = join_all(values)
    if isinstance(item, Bottom):
        return UNKNOWN
    ctx.call(key, Args((item,)))
    constant = all(_is_constant(v) for v in members(item))
    if not constant:
        likely = not any(isinstance(v, (Tensor, Instance)) for v in members(item))
        ctx.emit("call", f"builtins.{name}", ("invalid-call-to-builtin-op-handler",), likely=likely)
    return item


def _is_constant(value: Value) -> bool:
    if isinstance(value, Seq):
        return all(_is_constant(v) for v in members(join_all(value.items) if value.items is not None else value.rest))
    return isinstance(value, (Const, Scalar, Bottom))


def sorted_(ctx: CallContext) -> Value:
    """``sorted``: Dynamo compares constants only."""
    value = ctx.args.first
    item = ctx.item_of(value)
    sort_keys(ctx, value, item, ctx.args.kw.get("key"))
    items = ctx.items_of(value)
    return Seq("list", None, item) if items is None or len(items) != 1 else Seq("list", items)


def sort_keys(ctx: CallContext, value: Value, item: Value, function: Value | None) -> None:
    """Report sort keys that are not constants (torch/_dynamo/variables/lists.py, ``sort``)."""
    if isinstance(item, Bottom):
        return
    if isinstance(value, Tensor) and function is None:
        ctx.emit("tensor-to-python", "sorted", ("failed-to-trace-builtin-operator",), about=value)
        return
    key = item if function is None or function == NONE else ctx.call(function, Args((item,)))
    found = _no_constant(key)
    if found is not None:
        ctx.emit("tensor-to-python", "sorted", ("sort-with-non-constant-keys",), about=found)


def _no_constant(key: Value) -> Value | None:
    """Return the tensor or object in a key, also inside a tuple; None if the key is constant.

    Python compares strings with neither: a key that may be a string is one, and its other alternatives are guesses.
    """
    if any(is_text(member) for member in members(key)):
        return None
    for member in members(key):
        if isinstance(member, (Tensor, Instance)):
            return member
        if isinstance(member, Seq):
            for inner in members(element(member)):
                if isinstance(inner, (Tensor, Instance)):
                    return inner
    return None
