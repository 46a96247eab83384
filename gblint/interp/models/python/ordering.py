"""Functions of all items of a sequence: any, all, min, max, sorted, and two of ``math``."""

from __future__ import annotations

import ast

from gblint.interp.domain.access_paths import access_path
from gblint.interp.domain.dtypes import dtype_family
from gblint.interp.models.python.super_and_descriptors import is_plain
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
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.lattice import element, is_text, join_all
from gblint.values.objects import Class, ExternalName, Instance

# The methods that make views of a dict, which are sequences here.
_VIEWS = frozenset(("keys", "values", "items"))


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
        items = _truthy(ctx) if cls == "filter" and ctx.args.pos[0] == NONE else None
        return Iterator(cls, item, not ctx.frame.mode.tracing, items)

    return handler


def _truthy(ctx: CallContext) -> tuple[Value, ...] | None:
    """Return the items of ``filter(None, items)`` outside of a region; None if not all are constants."""
    items = None if ctx.frame.mode.tracing else ctx.items_of(ctx.args.pos[1])
    if items is None or not all(isinstance(each, Const) for each in items):
        return None
    return tuple(each for each in items if isinstance(each, Const) and each.value)


def min_max(name: str) -> Handler:
    """``min`` and ``max``: Dynamo computes them if all arguments are constants, with a ``key`` or ``default`` as well.

    Other arguments are compared two by two, tensors and numbers only (``_call_min_max`` in
    torch/_dynamo/variables/builtin.py). An iterator is never a constant, whatever its items are.
    """

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
        if "default" in ctx.args.kw:
            _check_constants(ctx, name, values, guess=False)
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


def check_math(ctx: CallContext, name: str) -> None:
    """Report a function of ``math`` on an iterator: Dynamo folds it for constants, and an iterator is none."""
    if name in ("math.prod", "math.fsum") and _is_lazy(ctx):
        ctx.emit("sequence-comparison", "math-of-iterator", ("args-not-convertible-to-proxy",))


def _is_lazy(ctx: CallContext) -> bool:
    """Return whether the only argument is an iterator, unless ``iter`` makes it, or a view of a dict."""
    given = members(ctx.args.pos[0]) if len(ctx.args.pos) == 1 else ()
    return bool(given) and (all(isinstance(v, Iterator) and v.cls != "iterator" for v in given) or _is_view(ctx))


def _is_view(ctx: CallContext) -> bool:
    """Return whether the argument is written as ``d.items()`` for a dict, or as another view of it."""
    written = ctx.node.args[0] if isinstance(ctx.node, ast.Call) and ctx.node.args else None
    if not isinstance(written, ast.Call) or written.args or not isinstance(written.func, ast.Attribute):
        return False
    owner = written.func.value
    if written.func.attr not in _VIEWS or (access_path(owner) is None and not isinstance(owner, ast.Dict)):
        return False
    return all(isinstance(each, Mapping) for each in members(ctx.interp.eval(owner, ctx.frame)))


def _check_constants(ctx: CallContext, name: str, values: list[Value], *, guess: bool) -> None:
    """Report arguments other than constants in a call with keywords; unknown ones only if it may ``guess``."""
    found = [member for value in values for member in members(value)]
    causes = ("invalid-call-to-builtin-op-handler",)
    refused = any(_no_constant(v) is not None for v in found)
    if _is_lazy(ctx) and not refused:
        ctx.emit("sequence-comparison", f"{name}-of-iterator", causes)
    elif refused or (guess and not all(map(_is_constant, found))):
        ctx.emit("call", f"builtins.{name}", causes, likely=not refused)


def _check_objects(ctx: CallContext, name: str, values: list[Value]) -> None:
    """Report the comparison of objects with ``__lt__`` or ``__gt__``, and of tuples that Dynamo does not know."""
    found = [v for value in values for v in members(value)]
    objects = any(isinstance(v, Instance) and isinstance(v.cls, Class) and is_plain(v.cls) for v in found)
    causes = ("failed-to-trace-builtin-operator",)
    tuples = [v for v in found if isinstance(v, Seq)]
    if objects and len(values) > 1:
        ctx.emit("call", f"builtins.{name}", causes)
    elif tuples and _has_several_items(ctx, values):
        likely = len(tuples) < len(found)
        if any(_no_constant(v) is not None for v in tuples):
            ctx.emit("call", f"builtins.{name}", causes, likely=likely)
        elif _is_lazy(ctx):
            ctx.emit("sequence-comparison", f"{name}-of-iterator", causes, likely=likely)


def _has_several_items(ctx: CallContext, values: list[Value]) -> bool:
    """Return whether more than one item is compared, as far as is known."""
    return len(values) > 1 or (len(ctx.args.pos) == 1 and ctx.items_of(ctx.args.pos[0]) is None)


def _by_key(ctx: CallContext, name: str, values: list[Value], key: Value) -> Value:
    """With a ``key`` Dynamo compares constants only."""
    item = join_all(values)
    if isinstance(item, Bottom):
        return UNKNOWN
    ctx.call(key, Args((item,)))
    _check_constants(ctx, name, values, guess=True)
    return item


def _is_constant(value: Value) -> bool:
    if isinstance(value, Seq):
        return all(_is_constant(v) for v in members(join_all(value.items) if value.items is not None else value.rest))
    is_dtype = isinstance(value, ExternalName) and dtype_family(value.name) is not None
    return is_dtype or isinstance(value, (Const, Scalar, Bottom))


def sorted_(ctx: CallContext) -> Value:
    """``sorted``: Dynamo compares constants only."""
    value = ctx.args.first
    item = ctx.item_of(value)
    sort_keys(ctx, value, item, ctx.args.kw.get("key"))
    items = ctx.items_of(value)
    if items is not None and len(items) == 1:
        return Seq("list", items)
    if items is None or ctx.args.kw:
        return Seq("list", None, item)
    known = [each.value for each in items if isinstance(each, Const)]
    try:
        ordered = sorted(known)  # type: ignore[type-var]
    except TypeError:
        return Seq("list", None, item)
    return Seq("list", tuple(map(Const, ordered)) if len(known) == len(items) else None, item)


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
