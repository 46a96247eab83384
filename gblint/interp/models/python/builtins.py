"""Python's builtin functions and types, called on abstract values."""

from __future__ import annotations

import ast

from gblint.interp.domain import constant_tables, containers
from gblint.interp.domain.containers import with_item
from gblint.interp.models.python import (
    conversions,
    function_objects,
    opaque_objects,
    random_numbers,
    type_slots,
    type_tests,
)
from gblint.interp.models.torch import tensor_subclasses
from gblint.interp.models.torch.tensor_methods import may_be_tensor
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Handler, Interpreter
from gblint.values.base import (
    BOOL,
    INT,
    NONE,
    STR,
    UNKNOWN,
    Bottom,
    Const,
    Scalar,
    Tensor,
    Value,
    members,
    scalar_of,
)
from gblint.values.containers import Iterator, Mapping, Range, Seq, Slice
from gblint.values.lattice import element, join, join_all
from gblint.values.objects import Class, ExternalName, Function, Instance, Wrapped, is_module


def isinstance_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``isinstance``."""
    if len(args.pos) < 2:
        return BOOL
    type_slots.refused(m, "isinstance", args.pos[0], frame, node)
    answer = type_tests.is_instance(m, args.pos[0], args.pos[1])
    return BOOL if answer is None else Const(answer)


def issubclass_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``issubclass``."""
    if len(args.pos) == 2 and isinstance(args.pos[0], Class):
        cls, other = args.pos
        assert isinstance(cls, Class)
        if isinstance(other, Class) and (other in cls.mro or cls.complete):
            return Const(other in cls.mro)
        if isinstance(other, ExternalName) and cls.inherits(other.name):
            return Const(True)
    return BOOL


def hasattr_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``hasattr``."""
    if len(args.pos) == 2 and isinstance(args.pos[1], Const) and isinstance(args.pos[1].value, str):
        name = args.pos[1].value
        type_slots.refused(m, "hasattr", args.pos[0], frame, node)
        answers = {type_tests.has_attribute(m, v, name) for v in members(args.pos[0])}
        if len(answers) == 1:
            answer = answers.pop()
            return BOOL if answer is None else Const(answer)
    return BOOL


def getattr_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``getattr``, also with a computed name."""
    if len(args.pos) < 2:
        return UNKNOWN
    base, name = args.pos[0], args.pos[1]
    function_objects.name_of_attribute(m, "getattr", "GB0190", name, frame, node)
    default = args.pos[2] if len(args.pos) > 2 else None
    values: list[Value] = []
    for text in members(name):
        if isinstance(text, Const) and isinstance(text.value, str):
            values.append(_getattr(m, base, text.value, default, frame, node))
        else:
            values.append(_any_attribute(base, default))
    return join_all(values)


def _getattr(m: Interpreter, base: Value, name: str, default: Value | None, frame: Frame, node: ast.AST) -> Value:
    if default is None:
        return m.get_attribute(base, name, frame, node)
    values: list[Value] = []
    type_slots.refused(m, "hasattr", base, frame, node)
    for member in members(base):
        there = type_tests.has_attribute(m, member, name)
        if there is not False:
            values.append(m.get_attribute(member, name, frame, node))
        if there is not True:
            values.append(default)
    return join_all(values)


def _any_attribute(base: Value, default: Value | None) -> Value:
    """``getattr`` with a name that is not known: any submodule, if the object has some."""
    found: list[Value] = [] if default is None else [default]
    for member in members(base):
        if isinstance(member, Instance):
            modules = [v for k, v in member.attrs.items() if is_module(v)]
            if modules:
                found += modules
                continue
        found.append(UNKNOWN)
    return join_all(found)


def setattr_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``setattr``."""
    if len(args.pos) == 3:
        function_objects.name_of_attribute(m, "setattr", "GB0254", args.pos[1], frame, node)
        for member in members(args.pos[0]):
            if isinstance(member, Function) and args.pos[1] == Const("_dynamo_marked_constant"):
                m.caches.constant_functions.add(member.node)
                m.note_change(frame)
            if isinstance(member, Instance):
                for name in members(args.pos[1]):
                    if isinstance(name, Const) and isinstance(name.value, str):
                        m.set_attribute(member, name.value, args.pos[2], frame, node)
                    else:
                        member.open = True
                        m.summary_cache.on_change(member.uid)
    return NONE


def len_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``len``."""
    results: list[Value] = []
    for value in members(args.first):
        if type_slots.refused(m, "len", value, frame, node):
            results.append(INT)
        elif isinstance(value, Tensor):
            results.append(Scalar("int", "data" if value.unbacked else "size"))
        elif isinstance(value, Instance) and isinstance(value.cls, Class):
            method = m.class_attribute(value.cls, "__len__")
            results.append(
                m.call(method, Args((value,)), frame, node)
                if isinstance(method, Function)
                else _length(value.attrs.get("__items__", UNKNOWN))
            )
        elif isinstance(value, Instance):
            results.append(_length(value.attrs.get("__items__", UNKNOWN)))
        elif value != NONE:
            opaque_objects.read(m, value, "GB6012", frame, node)
            results.append(_length(value))
    return join_all(results) if results else INT


def _length(value: Value) -> Value:
    if isinstance(value, Seq) and value.items is not None:
        return Const(len(value.items))
    if isinstance(value, Mapping) and value.rest is None:
        return Const(len(value.entries))
    if isinstance(value, Const) and isinstance(value.value, (str, bytes)):
        return Const(len(value.value))
    return INT


def range_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``range``: a tensor among its arguments has to become a number."""
    for arg in args.pos:
        if may_be_tensor(arg):
            m.emit(frame, node, "tensor-to-python", "range", ("GB0059",), about=arg)
            return Range()
        if random_numbers.is_drawn(arg):
            random_numbers.report(m, "range", ("GB4841",), frame, node)
            return Range()
        if any(isinstance(v, Scalar) and v.origin == "data" for v in members(arg)):
            m.emit(frame, node, "tensor-to-python", "range", (), about=arg)
            return Range()
    numbers = [a.value for a in args.pos if isinstance(a, Const) and isinstance(a.value, int)]
    if len(numbers) == len(args.pos) and numbers and (len(numbers) < 3 or numbers[2] != 0):
        known = range(*numbers)
        if all(abs(each) < 2**62 for each in numbers):  # a longer one has no length for Python either
            return Range(len(known), known.start, known.step)
    return Range()


def enumerate_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``enumerate``."""
    source = args.first
    items = m.items_of(source, frame, node)
    start = args.get(1, "start")
    if items is not None:
        first = (
            start.value if isinstance(start, Const) and isinstance(start.value, int) else 0 if start is None else None
        )
        counts = [INT if first is None else Const(first + i) for i in range(len(items))]
        pairs = tuple(Seq("tuple", (c, v)) for c, v in zip(counts, items))
        return _iterator("enumerate", frame, join_all(pairs), pairs)
    item = m.item_of(source, frame, node)
    return _iterator("enumerate", frame, item if isinstance(item, Bottom) else Seq("tuple", (INT, item)))


def _iterator(cls: str, frame: Frame, item: Value, items: tuple[Value, ...] | None = None) -> Iterator:
    return Iterator(cls, item, not frame.mode.tracing, items)


def zip_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``zip``."""
    known = [m.items_of(a, frame, node) for a in args.pos]
    if args.star is None and known and all(k is not None for k in known):
        rows = tuple(Seq("tuple", row) for row in zip(*(k for k in known if k is not None)))
        return _iterator("zip", frame, join_all(rows), rows)
    if args.star is not None:
        return _iterator("zip", frame, Seq("tuple", None, m.item_of(args.star, frame, node)))
    columns = [m.item_of(a, frame, node) for a in args.pos]
    if any(isinstance(c, Bottom) for c in columns):
        return _iterator("zip", frame, join_all(()))
    return _iterator("zip", frame, Seq("tuple", tuple(columns)))


def map_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``map``."""
    if len(args.pos) < 2:
        return UNKNOWN
    columns = [m.items_of(a, frame, node) for a in args.pos[1:]]
    if all(c is not None for c in columns):
        rows = list(zip(*(c for c in columns if c is not None)))
        if len(rows) <= 12:
            out = tuple(m.call(args.pos[0], Args(row), frame, node) for row in rows)
            return _iterator("map", frame, join_all(out), out)
    item = m.call(args.pos[0], Args(tuple(m.item_of(a, frame, node) for a in args.pos[1:])), frame, node)
    return _iterator("map", frame, item)


def filter_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``filter``: the answer of the function is asked for its truth."""
    if len(args.pos) < 2:
        return UNKNOWN
    item = m.item_of(args.pos[1], frame, node)
    asked = item if args.pos[0] == NONE else m.call(args.pos[0], Args((item,)), frame, node)
    if may_be_tensor(asked):
        m.emit(frame, node, "data-dependent-branch", "filter", ("GB0170",), about=asked)
    return _iterator("filter", frame, item)


def any_all(name: str) -> Handler:
    """``any`` and ``all``: Dynamo traces them, and breaks where an element is a tensor."""

    def handler(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
        value = args.first
        items = m.items_of(value, frame, node)
        item = join_all(items) if items is not None else m.item_of(value, frame, node)
        if may_be_tensor(item):
            m.emit(frame, node, "data-dependent-branch", name, ("GB0170",), about=item)
            return BOOL
        if items is not None:
            answers = [m.truth(v) for v in items]
            stop = name == "any"
            if stop in answers:
                return Const(stop)
            if None not in answers:
                return Const(not stop)
        return BOOL

    return handler


def min_max(name: str) -> Handler:
    """``min`` and ``max``: of tensors they become operators, a ``key`` is refused."""

    def handler(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
        if len(args.pos) == 1:
            items = m.items_of(args.pos[0], frame, node)
            values = list(items) if items is not None else [m.item_of(args.pos[0], frame, node)]
        else:
            values = list(args.pos)
            if args.star is not None:
                values.append(args.star)
        if args.kw.get("key", NONE) != NONE:
            return _by_key(m, name, values, args.kw["key"], frame, node)
        if values and all(isinstance(v, Const) and isinstance(v.value, (int, float)) for v in values):
            numbers = [v.value for v in values if isinstance(v, Const)]
            return Const(min(numbers) if name == "min" else max(numbers))  # type: ignore[type-var]
        flat = [v for value in values for v in members(value) if v != NONE]
        tensors = [v for v in flat if isinstance(v, Tensor)]
        if tensors:
            return join_all(flat) if len(tensors) == len(flat) else Tensor(None, None, all(t.sure for t in tensors))
        result = join_all(scalar_of(v.value) if isinstance(v, Const) else v for v in flat)
        return UNKNOWN if isinstance(result, Bottom) else result

    return handler


def _by_key(m: Interpreter, name: str, values: list[Value], key: Value, frame: Frame, node: ast.AST) -> Value:
    """With a ``key``, Dynamo compares constants only."""
    item = join_all(values)
    if isinstance(item, Bottom):
        return UNKNOWN
    m.call(key, Args((item,)), frame, node)
    constant = all(_is_constant(v) for v in members(item))
    if not constant:
        likely = not any(isinstance(v, (Tensor, Instance)) for v in members(item))
        m.emit(frame, node, "call", f"builtins.{name}", ("GB0193",), likely=likely)
    return item


def _is_constant(value: Value) -> bool:
    if isinstance(value, Seq):
        return all(_is_constant(v) for v in members(join_all(value.items) if value.items is not None else value.rest))
    return isinstance(value, (Const, Scalar, Bottom))


def sorted_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``sorted``: Dynamo compares constants only."""
    value = args.first
    item = m.item_of(value, frame, node)
    sort_keys(m, value, item, args.kw.get("key"), frame, node)
    items = m.items_of(value, frame, node)
    return Seq("list", None, item) if items is None or len(items) != 1 else Seq("list", items)


def sort_keys(m: Interpreter, value: Value, item: Value, function: Value | None, frame: Frame, node: ast.AST) -> None:
    """Reports keys to sort by that are no constants (torch/_dynamo/variables/lists.py, ``sort``)."""
    if isinstance(item, Bottom):
        return
    if isinstance(value, Tensor) and function is None:
        m.emit(frame, node, "tensor-to-python", "sorted", ("GB0059",), about=value)
        return
    key = item if function is None or function == NONE else m.call(function, Args((item,)), frame, node)
    found = _no_constant(key)
    if found is not None:
        m.emit(frame, node, "tensor-to-python", "sorted", ("GB0207",), about=found)


def _no_constant(key: Value) -> Value | None:
    """The tensor or object in a key, also in a tuple."""
    for member in members(key):
        if isinstance(member, (Tensor, Instance)):
            return member
        if isinstance(member, Seq):
            for inner in members(element(member)):
                if isinstance(inner, (Tensor, Instance)):
                    return inner
    return None


def sum_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``sum``."""

    items = m.items_of(args.first, frame, node)
    start = args.get(1, "start") or Const(0)
    if items is not None and len(items) <= 12:
        for item in items:
            start = m.binary(ast.Add(), start, item, frame, node)
        return start
    item = m.item_of(args.first, frame, node)
    if isinstance(item, Bottom):
        return start
    return m.binary(ast.Add(), item, item, frame, node)


def sequence(cls: str) -> Handler:
    """``list``, ``tuple``, ``set``, ``frozenset``."""

    def handler(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
        if not args.pos:
            return Seq(cls)
        value = args.pos[0]
        items = m.items_of(value, frame, node)
        if items is not None and cls in ("set", "frozenset"):
            known = all(isinstance(v, Const) for v in items)
            return Seq(cls, tuple(dict.fromkeys(items))) if known else Seq(cls, None, join_all(items))
        if items is not None:
            return Seq(cls, items)
        item = m.item_of(value, frame, node)
        return Seq(cls, None, item)

    return handler


def dict_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``dict``."""

    out: Value = Mapping()
    if args.pos:
        source = args.pos[0]
        items = m.items_of(source, frame, node) if not isinstance(source, Mapping) else None
        if isinstance(source, Mapping):
            out = Mapping(source.entries, source.rest, source.keys)
        elif isinstance(source, Instance) and isinstance(source.attrs.get("__items__"), Mapping):
            out = source.attrs["__items__"]
        elif items is not None and all(isinstance(i, Seq) and i.items and len(i.items) == 2 for i in items):
            out = constant_tables.of_items(items) or out
            for pair in items if out == Mapping() else ():
                assert isinstance(pair, Seq) and pair.items is not None
                out = with_item(out, pair.items[0], pair.items[1])
        else:
            item = m.item_of(source, frame, node)
            value = (
                item.items[1] if isinstance(item, Seq) and item.items is not None and len(item.items) == 2 else UNKNOWN
            )
            out = Mapping((), value)
    if args.kw or args.kwstar is not None:
        extra = Mapping(tuple((Const(k), v) for k, v in args.kw.items()), args.kwstar)
        out = containers.merge_mappings(out, extra)
    return out


def type_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``type``."""
    if len(args.pos) != 1:
        return UNKNOWN
    return join_all(type_of(v) for v in members(args.pos[0]))


def type_of(value: Value) -> Value:
    """The class of one value."""
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
        return ExternalName(f"builtins.{value.cls}") if value.cls != "Size" else ExternalName("torch.Size")
    return UNKNOWN


def next_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``next``."""
    source = args.first
    default = args.get(1, "default")
    items = m.items_of(source, frame, node)
    item = items[0] if items else m.item_of(source, frame, node)
    if isinstance(item, Bottom):
        return UNKNOWN if default is None else default
    return item if default is None or items else join(item, default)


def iter_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``iter``."""
    source = args.first
    if isinstance(source, Iterator):
        return source
    return _iterator("iterator", frame, m.item_of(source, frame, node), m.items_of(source, frame, node))


def reversed_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``reversed``."""
    tensor_subclasses.check_protocol(m, args.first, "__reversed__", frame, node)
    items = m.items_of(args.first, frame, node)
    if items is not None:
        return _iterator("iterator", frame, join_all(items), items[::-1])
    return _iterator("iterator", frame, m.item_of(args.first, frame, node))


def slice_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``slice``: Dynamo reads a tensor that bounds one as a number."""
    bound = next((v for v in args.pos if any(isinstance(p, Tensor) for p in members(v))), None)
    if bound is not None:
        m.emit(frame, node, "tensor-to-python", "slice-bound", ("GB0124",), about=bound)
    parts = list(args.pos) if len(args.pos) != 1 else [NONE, args.pos[0]]
    parts += [NONE] * (3 - len(parts))
    return Slice(parts[0], parts[1], parts[2])


def callable_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``callable``."""
    type_slots.refused(m, "callable", args.first, frame, node)
    answers = {type_tests.is_callable(m, v) for v in members(args.first)}
    answer = answers.pop() if len(answers) == 1 else None
    return BOOL if answer is None else Const(answer)


def vars_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``vars`` and ``locals``."""
    value = args.first
    if isinstance(value, Instance):
        return m.get_attribute(value, "__dict__", frame, node)
    return Mapping((), UNKNOWN)


def spelled(name: str) -> Handler:
    """``chr`` and ``hex``."""

    def handler(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
        type_slots.refused(m, name, args.first, frame, node)
        return STR

    return handler


def hash_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``hash``."""
    type_slots.hashed(m, args.first, frame, node)
    return INT


def wrapper(kind: str) -> Handler:
    """``property``, ``staticmethod``, ``classmethod`` called as functions."""
    return lambda m, args, frame, node: Wrapped(kind, args.first)


HANDLERS: dict[str, Handler] = {
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
    "filter": filter_,
    "any": any_all("any"),
    "all": any_all("all"),
    "min": min_max("min"),
    "max": min_max("max"),
    "sorted": sorted_,
    "sum": sum_,
    "int": conversions.number("int", ("GB0124",)),
    "float": conversions.number("float", ("GB0124",)),
    "bool": conversions.number("bool", ("GB0124",)),
    "complex": conversions.number("complex", ("GB0124",)),
    "str": conversions.text("str", ("GB0059",)),
    "repr": conversions.text("repr", ("GB0569",)),
    "list": sequence("list"),
    "tuple": sequence("tuple"),
    "set": sequence("set"),
    "frozenset": sequence("set"),
    "dict": dict_,
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
    "property": wrapper("property"),
    "staticmethod": wrapper("static"),
    "classmethod": wrapper("class"),
    "id": opaque_objects.identity,
    "hash": hash_,
    "ord": lambda m, args, frame, node: INT,
    "chr": spelled("chr"),
    "hex": spelled("hex"),
    "format": conversions.format_,
    "divmod": conversions.divmod_,
}
