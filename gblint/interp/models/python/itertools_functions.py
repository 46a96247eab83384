"""The functions of ``itertools``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, Final

from gblint.interp.domain import dtypes
from gblint.interp.models.python import builtins, ordering
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import FLOAT, INT, NONE, UNKNOWN, Bottom, Const, Tensor, Value, members
from gblint.values.containers import COUNTER, Iterator, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import ExternalName, Function

MAX_TUPLES: Final = 64
"""How many tuples of ``itertools.product`` and similar functions are told apart."""

_CALLED_ONE_BY_ONE = 12


def starmap(ctx: CallContext) -> Value:
    """``itertools.starmap``."""
    if len(ctx.args.pos) != 2:
        return UNKNOWN
    function, rows = ctx.args.pos
    known = ctx.items_of(rows)
    if known is not None and len(known) <= _CALLED_ONE_BY_ONE:
        return _iterator(ctx, [ctx.call(function, _unpacked(ctx, row)) for row in known])
    row = ctx.item_of(rows)
    item = row if isinstance(row, Bottom) else ctx.call(function, _unpacked(ctx, row))
    return Iterator("iterator", item, not ctx.frame.mode.tracing)


def _unpacked(ctx: CallContext, row: Value) -> Args:
    items = ctx.items_of(row)
    return Args(star=ctx.item_of(row)) if items is None else Args(items)


def chain(ctx: CallContext) -> Value:
    """``itertools.chain``."""
    parts = [ctx.items_of(a) for a in ctx.args.pos]
    if ctx.args.star is None and all(p is not None for p in parts):
        return _iterator(ctx, [v for p in parts if p is not None for v in p])
    values = [ctx.item_of(a) for a in ctx.args.pos]
    if ctx.args.star is not None:
        values.append(ctx.item_of(ctx.args.star))
    return Iterator("iterator", join_all(values), not ctx.frame.mode.tracing)


def chain_nested(ctx: CallContext) -> Value:
    """``itertools.chain.from_iterable``."""
    lists = ctx.items_of(ctx.args.first)
    parts = None if lists is None else [ctx.items_of(each) for each in lists]
    if parts is not None and all(part is not None for part in parts):
        return _iterator(ctx, itertools.chain.from_iterable(part for part in parts if part is not None))
    outer = ctx.item_of(ctx.args.first)
    return Iterator("iterator", ctx.item_of(outer), not ctx.frame.mode.tracing)


def _iterator(ctx: CallContext, items: Iterable[Value]) -> Iterator:
    known = tuple(items)
    return Iterator("iterator", join_all(known), not ctx.frame.mode.tracing, known)


def tuples(name: str) -> Handler:
    """``itertools.product``, ``combinations``, ``permutations``, ``pairwise``: tuples of items."""
    function: Any = getattr(itertools, name)

    def handler(ctx: CallContext) -> Value:
        lists = [v for v in ctx.args.pos if not isinstance(v, Const)]
        known = [ctx.items_of(v) for v in lists]
        options = {k: v.value for k, v in ctx.args.kw.items() if isinstance(v, Const)}
        numbers = [v.value for v in ctx.args.pos if isinstance(v, Const)]
        if lists and all(k is not None for k in known) and len(options) == len(ctx.args.kw) and ctx.args.star is None:
            try:
                rows = list(itertools.islice(function(*known, *numbers, **options), MAX_TUPLES + 1))
            except (TypeError, ValueError):
                rows = []
            if 0 < len(rows) <= MAX_TUPLES:
                return _iterator(ctx, [Seq("tuple", tuple(row)) for row in rows])
        columns = [ctx.item_of(a) for a in ctx.args.pos]
        items = [c for c in columns if not isinstance(c, Bottom)]
        item = Seq("tuple", tuple(items)) if len(items) > 1 else Seq("tuple", None, join_all(items))
        return Iterator("iterator", item, not ctx.frame.mode.tracing)

    return handler


def islice(ctx: CallContext) -> Value:
    """``itertools.islice``."""
    items = ctx.items_of(ctx.args.first)
    given = [v for v in ctx.args.pos[1:] if isinstance(v, Const)]
    bounds = [v.value for v in given if v.value is None or isinstance(v.value, int)]
    if items is not None and bounds and len(bounds) == len(ctx.args.pos) - 1:
        return _iterator(ctx, items[slice(*bounds)])
    return Iterator("iterator", ctx.item_of(ctx.args.first), not ctx.frame.mode.tracing)


def repeat(ctx: CallContext) -> Value:
    """``itertools.repeat``."""
    times = ctx.args.get(1, "times")
    value = ctx.args.first
    if isinstance(times, Const) and isinstance(times.value, int) and 0 <= times.value <= MAX_TUPLES:
        return _iterator(ctx, [value] * times.value)
    return Iterator("iterator", value, not ctx.frame.mode.tracing)


def items_again(ctx: CallContext) -> Value:
    """``itertools.cycle``."""
    values = [ctx.item_of(a) for a in ctx.args.pos[-2:] if not isinstance(a, (Const, Function, ExternalName))]
    return Iterator("iterator", join_all(values) if values else UNKNOWN, not ctx.frame.mode.tracing)


def accumulate(ctx: CallContext) -> Value:
    """``itertools.accumulate``."""
    item = ctx.item_of(ctx.args.first)
    return Iterator("iterator", item, not ctx.frame.mode.tracing)


def counter(ctx: CallContext) -> Value:
    """``itertools.count``; Dynamo traces an existing one (``wrap_itertools_count`` in variables/builder.py)."""
    kinds = [dtypes.number_kind(each) for each in ctx.args.all()]
    return Iterator(COUNTER, FLOAT if "float" in kinds else INT, not ctx.frame.mode.tracing)


def grouped(ctx: CallContext) -> Value:
    """``itertools.groupby``: Dynamo takes the key by keyword only, and compares keys as Python does."""
    item = ctx.item_of(ctx.args.first)
    if len(ctx.args.pos) > 1:
        ctx.emit("call", "itertools.groupby", ("unsupported-arguments-for-itertools-groupby",))
    key = ctx.args.get(1, "key")
    group = item if key is None or key == NONE else ctx.call(key, Args((item,)))
    if any(isinstance(v, Tensor) for v in members(group)):
        ctx.emit(
            "call",
            "itertools.groupby",
            ("unsupported-key-type-for-itertools-groupby", "itertools-groupby-iteration-failure"),
        )
    return Iterator("iterator", Seq("tuple", (group, Iterator("iterator", item))), not ctx.frame.mode.tracing)


HANDLERS: dict[str, Handler] = {
    "itertools.chain": chain,
    "itertools.chain.from_iterable": chain_nested,
    "itertools.product": tuples("product"),
    "itertools.combinations": tuples("combinations"),
    "itertools.permutations": tuples("permutations"),
    "itertools.pairwise": tuples("pairwise"),
    "itertools.zip_longest": builtins.zip_,
    "itertools.islice": islice,
    "itertools.repeat": repeat,
    "itertools.cycle": items_again,
    "itertools.takewhile": ordering.filter_by("iterator"),
    "itertools.dropwhile": ordering.filter_by("iterator"),
    "itertools.filterfalse": ordering.filter_by("iterator", "data-dependent-operator"),
    "itertools.accumulate": accumulate,
    "itertools.count": counter,
    "itertools.groupby": grouped,
    "itertools.starmap": starmap,
}
