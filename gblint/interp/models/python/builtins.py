"""Builtin functions and types of Python, called on abstract values."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import constant_tables, containers, reach
from gblint.interp.domain.containers import with_item
from gblint.interp.models.python import (
    conversions,
    divergence,
    opaque_objects,
    random_numbers,
    type_slots,
    type_tests,
    uncaught,
)
from gblint.interp.models.python.attribute_builtins import getattr_, hasattr_, setattr_
from gblint.interp.models.python.ordering import any_all, filter_by, min_max, sorted_
from gblint.interp.models.torch import tensor_subclasses
from gblint.interp.models.torch.tensor_methods import may_be_tensor
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.frame import Frame
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import (
    BOOL,
    INT,
    NONE,
    STR,
    TRUE,
    UNKNOWN,
    Bottom,
    Const,
    Scalar,
    Tensor,
    Value,
    members,
)
from gblint.values.containers import Iterator, Mapping, Range, Seq, Slice
from gblint.values.lattice import join, join_all
from gblint.values.objects import Class, ExternalName, Function, Instance, ModuleRef
from gblint.values.wrapped import ClassMethod, GenericAlias, Property, StaticMethod, Wrapped


def isinstance_(ctx: CallContext) -> Value:
    """``isinstance``."""
    if len(ctx.args.pos) < 2:
        return BOOL
    type_slots.refused(ctx.interp, "isinstance", ctx.args.pos[0], ctx.frame, ctx.node)
    _check_class(ctx)
    classes = type_tests.tested_classes(ctx.interp, ctx.node, ctx.args.pos[1], ctx.frame)
    answer = type_tests.is_instance(ctx.interp, ctx.args.pos[0], classes)
    if answer is not None:
        return Const(answer)
    known = reach.usual(ctx.args.pos[0])
    likely = None if known is None else type_tests.is_instance(ctx.interp, known, classes)
    if likely is None and type_tests.asks_for_special(ctx.interp, ctx.args.pos[0], classes):
        likely = False
    return BOOL if likely is None else reach.expected(BOOL, Const(likely))


def issubclass_(ctx: CallContext) -> Value:
    """``issubclass``."""
    _check_class(ctx)
    if len(ctx.args.pos) == 2 and isinstance(ctx.args.pos[0], Class):
        cls, other = ctx.args.pos
        assert isinstance(cls, Class)
        if isinstance(other, Class) and (other in cls.mro or cls.complete):
            by_itself = other not in cls.mro and type_tests.has_own_test(ctx.interp, other, "__subclasscheck__")
            return BOOL if by_itself else Const(other in cls.mro)
        if isinstance(other, ExternalName) and cls.inherits(other.name):
            return Const(True)
    return BOOL


def _check_class(ctx: CallContext) -> None:
    """Report a number, a string or ``list[int]`` where ``isinstance`` and ``issubclass`` take a class."""
    tested = ctx.args.pos[1] if len(ctx.args.pos) == 2 else UNKNOWN
    classes = tested.items if isinstance(tested, Seq) and tested.cls == "tuple" else (tested,)
    if any((isinstance(each, Const) and each != NONE) or isinstance(each, GenericAlias) for each in classes or ()):
        # Dynamo itself fails in the test of a tensor, and raises the error of Python for other objects.
        fails = isinstance(ctx.args.pos[0], Tensor)
        cause = "" if fails else "observed-exception"
        uncaught.report(ctx.interp, ctx.frame, ctx.node, "call", cause, caught=not fails)


def len_(ctx: CallContext) -> Value:
    """``len``."""
    results: list[Value] = []
    for value in members(ctx.args.first):
        if type_slots.refused(ctx.interp, "len", value, ctx.frame, ctx.node):
            results.append(INT)
        elif isinstance(value, Tensor):
            results.append(Scalar("int", "data" if value.unbacked else "size"))
        elif isinstance(value, Instance) and isinstance(value.cls, Class):
            method = ctx.interp.class_attribute(value.cls, "__len__")
            results.append(
                ctx.call(method, Args((value,)))
                if isinstance(method, Function)
                else _length(value.attrs.get("__items__", UNKNOWN))
            )
        elif isinstance(value, Instance):
            results.append(_length(value.attrs.get("__items__", UNKNOWN)))
        elif value != NONE:
            opaque_objects.read(ctx.interp, value, "cannot-trace-user-defined-len", ctx.frame, ctx.node)
            results.append(_length(value))
    return join_all(results) if results else INT


def _length(value: Value) -> Value:
    if isinstance(value, Seq) and value.items is not None:
        return Const(len(value.items))
    if isinstance(value, Mapping) and value.rest is None:
        if value.optional:
            return reach.expected(INT, Const(0)) if reach.truth(value) is False else INT
        return Const(len(value.entries))
    if isinstance(value, Const) and isinstance(value.value, (str, bytes)):
        return Const(len(value.value))
    return INT


def range_(ctx: CallContext) -> Value:
    """``range``: a tensor among its arguments must become a number."""
    for arg in ctx.args.pos:
        if may_be_tensor(arg):
            ctx.emit("tensor-to-python", "range", ("failed-to-trace-builtin-operator",), about=arg)
            return Range()
        if random_numbers.is_random_number(arg):
            random_numbers.report(ctx.interp, "range", ("unsupported-python-type-call",), ctx.frame, ctx.node)
            return Range()
        if any(isinstance(v, Scalar) and v.origin == "data" for v in members(arg)):
            ctx.emit("tensor-to-python", "range", (), about=arg)
            return Range()
    numbers = [a.value for a in ctx.args.pos if isinstance(a, Const) and isinstance(a.value, int)]
    if len(numbers) == len(ctx.args.pos) and numbers and (len(numbers) < 3 or numbers[2] != 0):
        known = range(*numbers)
        if all(abs(each) < 2**62 for each in numbers):  # Python has no length for a longer range either
            return Range(len(known), known.start, known.step)
    return Range()


def enumerate_(ctx: CallContext) -> Value:
    """``enumerate``."""
    source = ctx.args.first
    items = ctx.items_of(source)
    start = ctx.args.get(1, "start")
    if items is not None:
        first = (
            start.value if isinstance(start, Const) and isinstance(start.value, int) else 0 if start is None else None
        )
        counts = [INT if first is None else Const(first + i) for i in range(len(items))]
        pairs = tuple(Seq("tuple", (c, v)) for c, v in zip(counts, items))
        return _iterator("enumerate", ctx.frame, join_all(pairs), pairs)
    item = ctx.item_of(source)
    return _iterator("enumerate", ctx.frame, item if isinstance(item, Bottom) else Seq("tuple", (INT, item)))


def _iterator(cls: str, frame: Frame, item: Value, items: tuple[Value, ...] | None = None) -> Iterator:
    return Iterator(cls, item, not frame.mode.tracing, items)


def zip_(ctx: CallContext) -> Value:
    """``zip``."""
    known = [ctx.items_of(a) for a in ctx.args.pos]
    if ctx.args.star is None and known and all(k is not None for k in known):
        if ctx.args.kw.get("strict") == TRUE and len({len(k) for k in known if k is not None}) > 1:
            uncaught.report(ctx.interp, ctx.frame, ctx.node, "zip", "observed-exception")
        rows = tuple(Seq("tuple", row) for row in zip(*(k for k in known if k is not None)))
        return _iterator("zip", ctx.frame, join_all(rows), rows)
    if ctx.args.star is not None:
        return _iterator("zip", ctx.frame, Seq("tuple", None, ctx.item_of(ctx.args.star)))
    columns = [ctx.item_of(a) for a in ctx.args.pos]
    if any(isinstance(c, Bottom) for c in columns):
        return _iterator("zip", ctx.frame, join_all(()))
    return _iterator("zip", ctx.frame, Seq("tuple", tuple(columns)))


def map_(ctx: CallContext) -> Value:
    """``map``: its function runs where the items are taken, so that a break in it does not end the statement here."""
    if len(ctx.args.pos) < 2:
        return UNKNOWN
    flow = ctx.frame.flow
    broke, guessed = flow.pending_resume, flow.pending_guess
    try:
        return _mapped(ctx)
    finally:
        flow.pending_resume, flow.pending_guess = broke, guessed


def _mapped(ctx: CallContext) -> Value:
    columns = [ctx.items_of(a) for a in ctx.args.pos[1:]]
    if all(c is not None for c in columns):
        rows = list(zip(*(c for c in columns if c is not None)))
        if len(rows) <= 12:
            out = tuple(ctx.call(ctx.args.pos[0], Args(row)) for row in rows)
            return _iterator("map", ctx.frame, join_all(out), out)
    item = ctx.call(ctx.args.pos[0], Args(tuple(ctx.item_of(a) for a in ctx.args.pos[1:])))
    return _iterator("map", ctx.frame, item)


def sum_(ctx: CallContext) -> Value:
    """``sum``."""

    items = ctx.items_of(ctx.args.first)
    start = ctx.args.get(1, "start") or Const(0)
    if items is not None and len(items) <= 12:
        for item in items:
            start = ctx.interp.binary(ast.Add(), start, item, ctx.frame, ctx.node)
        return start
    item = ctx.item_of(ctx.args.first)
    if isinstance(item, Bottom):
        return start
    return ctx.interp.binary(ast.Add(), item, item, ctx.frame, ctx.node)


def sequence(cls: str) -> Handler:
    """``list``, ``tuple``, ``set``, ``frozenset``."""

    def handler(ctx: CallContext) -> Value:
        if not ctx.args.pos:
            return Seq(cls)
        value = ctx.args.pos[0]
        divergence.check_endless(ctx.interp, value, ctx.frame, ctx.node)
        items = ctx.items_of(value)
        if items is not None and cls in ("set", "frozenset"):
            known = all(isinstance(v, Const) for v in items)
            return Seq(cls, tuple(dict.fromkeys(items))) if known else Seq(cls, None, join_all(items))
        if items is not None:
            return Seq(cls, items)
        item = ctx.item_of(value)
        return Seq(cls, None, item)

    return handler


def dict_(ctx: CallContext) -> Value:
    """``dict``."""

    out: Value = Mapping()
    if ctx.args.pos:
        source = ctx.args.pos[0]
        items = ctx.items_of(source) if not isinstance(source, Mapping) else None
        if isinstance(source, Mapping):
            out = Mapping(source.entries, source.rest, source.keys)
        elif isinstance(source, Instance) and isinstance(inside := source.attrs.get("__items__"), Mapping):
            out = Mapping(inside.entries, inside.rest, inside.keys)
        elif items is not None and all(isinstance(i, Seq) and i.items and len(i.items) == 2 for i in items):
            out = constant_tables.of_items(items) or out
            for pair in items if out == Mapping() else ():
                assert isinstance(pair, Seq) and pair.items is not None
                out = with_item(out, pair.items[0], pair.items[1])
        else:
            item = ctx.item_of(source)
            value = (
                item.items[1] if isinstance(item, Seq) and item.items is not None and len(item.items) == 2 else UNKNOWN
            )
            out = Mapping((), value)
    if ctx.args.kw or ctx.args.kwstar is not None:
        extra = Mapping(tuple((Const(k), v) for k, v in ctx.args.kw.items()), ctx.args.kwstar)
        out = containers.merge_mappings(out, extra)
    return out


def dict_of_keys(ctx: CallContext) -> Value:
    """``dict.fromkeys``: all keys have the same object."""
    value = ctx.args.get(1, "value") or NONE
    keys = ctx.items_of(ctx.args.first)
    if keys is not None and all(isinstance(key, Const) for key in keys):
        return Mapping(tuple([(key, value) for key in dict.fromkeys(keys)]))
    return Mapping((), value, ctx.item_of(ctx.args.first))


_PARAMETER: Final = ExternalName("torch.nn.Parameter")


def type_(ctx: CallContext) -> Value:
    """``type``."""
    if len(ctx.args.pos) != 1:
        return UNKNOWN
    return join_all(_PARAMETER if _is_parameter(v) else type_of(v) for v in members(ctx.args.pos[0]))


def _is_parameter(value: Value) -> bool:
    return isinstance(value, Tensor) and value.grad_provenance == "parameter"


_CLASSES = {
    "Size": "torch.Size",
    **{name: f"collections.{name}" for name in ("OrderedDict", "defaultdict", "Counter")},
}


def type_of(value: Value) -> Value:
    """Return the class of a value."""
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Tensor):
        return ExternalName("numpy.ndarray" if value.ndarray else "torch.Tensor")
    if isinstance(value, Const):
        return (
            ExternalName("types.NoneType")
            if value.value is None
            else ExternalName(f"builtins.{type(value.value).__name__}")
        )
    if isinstance(value, Scalar) and value.kind != "number":
        return ExternalName(f"builtins.{value.kind}")
    if isinstance(value, (Seq, Mapping)):
        return ExternalName(_CLASSES.get(value.cls, f"builtins.{value.cls}"))
    return UNKNOWN


def next_(ctx: CallContext) -> Value:
    """``next``."""
    source = ctx.args.first
    default = ctx.args.get(1, "default")
    items = ctx.items_of(source)
    if default is None:
        uncaught.check_next(ctx.interp, items, ctx.frame, ctx.node)
    if items and isinstance(source, Iterator):
        ctx.interp.calls.updates.append((source, replace(source, items=items[1:])))
    item = items[0] if items else ctx.item_of(source)
    if isinstance(item, Bottom):
        return UNKNOWN if default is None else default
    return item if default is None or items else join(item, default)


def iter_(ctx: CallContext) -> Value:
    """``iter``."""
    source = ctx.args.first
    if isinstance(source, Iterator):
        return source
    items, item = ctx.items_of(source), ctx.item_of(source)
    if isinstance(source, Range) or (isinstance(source, Seq) and source.cls == "tuple"):
        # Dynamo takes these apart where they come from outside (``VariableBuilder._wrap`` in torch/_dynamo/variables).
        return Iterator("iterator", item, False, items)
    return _iterator("iterator", ctx.frame, item, items)


def reversed_(ctx: CallContext) -> Value:
    """``reversed``."""
    tensor_subclasses.check_protocol(ctx.interp, ctx.args.first, "__reversed__", ctx.frame, ctx.node)
    items = ctx.items_of(ctx.args.first)
    if items is not None:
        return _iterator("iterator", ctx.frame, join_all(items), items[::-1])
    return _iterator("iterator", ctx.frame, ctx.item_of(ctx.args.first))


def slice_(ctx: CallContext) -> Value:
    """``slice``: Dynamo reads a tensor bound as a number."""
    bound = next((v for v in ctx.args.pos if any(isinstance(p, Tensor) for p in members(v))), None)
    if bound is not None:
        ctx.emit("tensor-to-python", "slice-bound", ("tensor-item-without-capture-scalar-outputs",), about=bound)
    parts = list(ctx.args.pos) if len(ctx.args.pos) != 1 else [NONE, ctx.args.pos[0]]
    parts += [NONE] * (3 - len(parts))
    return Slice(parts[0], parts[1], parts[2])


def callable_(ctx: CallContext) -> Value:
    """``callable``."""
    type_slots.refused(ctx.interp, "callable", ctx.args.first, ctx.frame, ctx.node)
    answers = {type_tests.is_callable(ctx.interp, v) for v in members(ctx.args.first)}
    answer = answers.pop() if len(answers) == 1 else None
    return BOOL if answer is None else Const(answer)


def vars_(ctx: CallContext) -> Value:
    """``vars`` and ``locals``."""
    value = ctx.args.first
    if isinstance(value, Instance):
        return ctx.get_attribute(value, "__dict__")
    return Mapping((), UNKNOWN)


def dir_(ctx: CallContext) -> Value:
    """``dir``, which Dynamo evaluates for modules, classes, functions and containers (``BuiltinVariable.call_dir``)."""
    asked = members(ctx.args.first) if ctx.args.pos else [UNKNOWN]
    refused = [each for each in asked if not isinstance(each, _LISTED_BY_DIR)]
    if refused:
        cause = "failed-to-trace-builtin-operator" if ctx.args.pos else "invalid-call-to-builtin-op-handler"
        ctx.emit("call", "builtins.dir", (cause,), likely=len(refused) < len(asked))
    return Seq("list", None, STR)


def spelled(name: str) -> Handler:
    """``chr`` and ``hex``."""

    def handler(ctx: CallContext) -> Value:
        type_slots.refused(ctx.interp, name, ctx.args.first, ctx.frame, ctx.node)
        return STR

    return handler


def hash_(ctx: CallContext) -> Value:
    """``hash``."""
    type_slots.hashed(ctx.interp, ctx.args.first, ctx.frame, ctx.node)
    return INT


def property_(ctx: CallContext) -> Value:
    """``property(get, set)``."""
    setter = ctx.args.get(1, "fset")
    return Property(ctx.args.get(0, "fget") or UNKNOWN, None if setter == NONE else setter)


def wrapper(cls: type[Wrapped]) -> Handler:
    """``staticmethod``, ``classmethod`` called as functions."""
    return lambda ctx: cls(ctx.args.first)


def new_object(ctx: CallContext) -> Value:
    """``object.__new__(cls)``."""
    return Instance(ctx.args.first, branch_id=ctx.interp.branch_id) if isinstance(ctx.args.first, Class) else UNKNOWN


_LISTED_BY_DIR = (ModuleRef, ExternalName, Class, Function, Seq, Mapping, Const)
HANDLERS: dict[str, Handler] = {
    "dir": dir_,
    "object.__new__": new_object,
    "object.__setattr__": setattr_,
    "isinstance": isinstance_,
    "issubclass": issubclass_,
    "hasattr": hasattr_,
    "getattr": getattr_,
    "setattr": setattr_,
    "len": len_,
    "range": range_,
    "enumerate": enumerate_,
    "zip": zip_,
    "map": map_,
    "filter": filter_by("filter"),
    "any": any_all("any"),
    "all": any_all("all"),
    "min": min_max("min"),
    "max": min_max("max"),
    "sorted": sorted_,
    "sum": sum_,
    "int": conversions.number("int", ("tensor-item-without-capture-scalar-outputs",)),
    "float": conversions.number("float", ("tensor-item-without-capture-scalar-outputs",)),
    "bool": conversions.number("bool", ("tensor-item-without-capture-scalar-outputs",)),
    "complex": conversions.number("complex", ("tensor-item-without-capture-scalar-outputs",)),
    "str": conversions.text("str", ("failed-to-trace-builtin-operator",)),
    "repr": conversions.text("repr", ("repr-on-tensor",)),
    "list": sequence("list"),
    "tuple": sequence("tuple"),
    "set": sequence("set"),
    "frozenset": sequence("set"),
    "dict": dict_,
    "dict.fromkeys": dict_of_keys,
    "type": type_,
    "next": next_,
    "iter": iter_,
    "abs": conversions.abs_,
    "round": conversions.round_,
    "pow": conversions.pow_,
    "reversed": reversed_,
    "slice": slice_,
    "callable": callable_,
    "vars": vars_,
    "locals": vars_,
    "property": property_,
    "staticmethod": wrapper(StaticMethod),
    "classmethod": wrapper(ClassMethod),
    "id": opaque_objects.identity,
    "hash": hash_,
    "ord": lambda ctx: INT,
    "chr": spelled("chr"),
    "hex": spelled("hex"),
    "format": conversions.format_,
    "divmod": conversions.divmod_,
}
