"""Methods of lists, dicts, sets, strings and iterators: their results, and the receiver after the call."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from gblint.interp.domain import container_aliases, parameter_names, reach
from gblint.interp.domain.containers import combined_sets, constants_in, merge_mappings, with_item, without_item
from gblint.interp.domain.tensor_text import OBJECT_TEXT, TENSOR_TEXT, combined, has_tensor, shows_object, shows_tensor
from gblint.interp.models.python import identity, input_containers, object_texts, opaque_objects, split_lists
from gblint.interp.models.python.ordering import sort_keys
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.runtime.lazy_dataclasses import replace
from gblint.values import folding
from gblint.values.base import (
    BOOL,
    INT,
    NONE,
    STR,
    UNKNOWN,
    UNPASSED,
    Bottom,
    Const,
    Scalar,
    Tensor,
    Value,
    members,
    scalar_of,
)
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.lattice import ORDERED, element, join, join_all

Result = tuple[Value, "Value | None"]
MAX_GROWTH = 64

_BOOL_TEXT = frozenset(
    "startswith endswith isdigit isalpha isalnum isupper islower isspace isnumeric isidentifier istitle "
    "isdecimal".split()
)
_INT_TEXT = frozenset(("find", "rfind", "index", "rindex", "count"))
_FOLDED = (
    _BOOL_TEXT
    | _INT_TEXT
    | frozenset(
        "lower upper strip lstrip rstrip replace split rsplit splitlines title capitalize casefold swapcase "
        "partition rpartition removeprefix removesuffix".split()
    )
)


def call_method(ctx: CallContext, receiver: Value, name: str) -> Result:
    """Call ``receiver.name(...)``; return the result, and the new receiver if the call changed it."""
    if isinstance(receiver, Seq):
        return _sequence(ctx, receiver, name)
    if isinstance(receiver, Mapping):
        return _mapping(ctx, receiver, name)
    if isinstance(receiver, Iterator):
        if receiver.pre_existing and ctx.frame.mode.tracing and receiver.cls == "generator":
            ctx.emit("iterator", "outside-generator", ("call-method-on-generator",))
            return receiver.item, None
        if name in ("__next__", "send"):
            return ctx.item_of(receiver), None
        if receiver.cls.startswith("tqdm"):
            ctx.emit("call", f"{receiver.cls}.{name}", ("inlining-of-skipped-function",))
        return UNKNOWN, None
    if isinstance(receiver, Const) and isinstance(receiver.value, str):
        return _text_method(ctx, receiver, name), None
    if isinstance(receiver, Scalar):
        if receiver.kind == "str":
            result, usual = _text_method(ctx, receiver, name), reach.usual(receiver)
            if isinstance(usual, Const) and isinstance(usual.value, str):
                result = reach.expected(result, _text(usual.value, name, ctx.args))
            return result, None
        if name in ("is_integer",):
            return BOOL, None
        return (INT if name in ("bit_length", "__index__", "__int__") else UNKNOWN), None
    return UNKNOWN, None


def _text_method(ctx: CallContext, receiver: Value, name: str) -> Value:
    if name == "format" and any(has_tensor(v) for v in ctx.args.all()):
        return TENSOR_TEXT
    for value in ctx.args.all() if name == "format" else ():
        object_texts.check_formatted(ctx.interp, value, ctx.frame, ctx.node)
    if name == "format" and ctx.frame.mode.tracing and any(map(opaque_objects.is_formatted_later, ctx.args.all())):
        return OBJECT_TEXT
    items = ctx.args.pos[0] if ctx.args.pos else NONE
    joined = element(items) if isinstance(items, Seq) else items.item if isinstance(items, Iterator) else items
    if shows_tensor(receiver) or (name == "join" and shows_tensor(joined)):
        ctx.emit("tensor-to-python", "format", ("unsupported-method-call",))
    elif shows_object(receiver) or (name == "join" and shows_object(joined)):
        ctx.emit("call", "builtins.format", ("unsupported-method-call",))
    if name == "format" and isinstance(receiver, Const) and ctx.args.star is None and ctx.args.kwstar is None:
        return _formatted(receiver.value, ctx.args)
    if isinstance(receiver, Const):
        return _text(receiver.value, name, ctx.args)  # type: ignore[arg-type]
    return _text_by_default(ctx, receiver, name)


# A width that makes the string very long, or that is itself an argument.
_WIDE = re.compile(r"\d{4}|\{[^{}]*\{")


def _formatted(template: object, args: Args) -> Value:
    """Return ``template.format(...)`` for all combinations of the alternatives of the arguments."""
    count = len(args.pos)
    if _WIDE.search(str(template)):
        return STR

    def fill(chosen: tuple[object, ...]) -> str:
        return str(template).format(*chosen[:count], **dict(zip(args.kw, chosen[count:])))

    return combined((*args.pos, *args.kw.values()), fill) or STR


def _text(text: str | None, name: str, args: Args) -> Value:
    given = [v.value for v in args.pos if isinstance(v, Const)]
    named = {key: v.value for key, v in args.kw.items() if isinstance(v, Const)}
    is_known = len(given) == len(args.pos) and len(named) == len(args.kw) and not folding.is_large(text)
    if text is not None and name in _FOLDED and is_known and not any(map(folding.is_large, (*given, *named.values()))):
        try:
            result = getattr(text, name)(*given, **named)
        except (TypeError, ValueError):
            return UNKNOWN
        if isinstance(result, (list, tuple)):
            return Seq("list" if isinstance(result, list) else "tuple", tuple(Const(part) for part in result[:64]))
        return folding.constant(result)
    if name == "join" and text is not None:
        return _joined(text, args.first)
    if name in _BOOL_TEXT:
        return BOOL
    if name in _INT_TEXT:
        return INT
    if name in ("split", "rsplit", "splitlines"):
        return Seq("list", None, STR)
    if name in ("partition", "rpartition"):
        return Seq("tuple", (STR, STR, STR))
    if name == "encode":
        return Scalar("bytes")
    return STR if hasattr(str, name) else UNKNOWN


def _text_by_default(ctx: CallContext, receiver: Value, name: str) -> Value:
    """Return the result of a method of a string of which at most the default is known.

    Outside of a region the parts of a default are kept apart: they choose what is made.
    """
    result, usual = _text(None, name, ctx.args), reach.usual(receiver)
    if ctx.frame.mode.tracing or not isinstance(usual, Const) or not isinstance(usual.value, str):
        return result
    known = _text(usual.value, name, ctx.args)
    if isinstance(known, Seq):
        return known
    return reach.expected(result, known) if isinstance(known, Const) else result


def _joined(separator: str, parts: Value) -> Value:
    """Return ``separator.join(parts)``."""
    items = parts.items if isinstance(parts, Seq) and parts.cls in ORDERED else None
    texts = [each.value for each in items or () if isinstance(each, Const) and isinstance(each.value, str)]
    if items is None or len(texts) < len(items) or sum(map(len, texts)) > folding.MAX_TEXT:
        return STR
    return folding.constant(separator.join(texts))


def _sequence(ctx: CallContext, seq: Seq, name: str) -> Result:
    split_lists.check_call(ctx.interp, seq, name, ctx.frame, ctx.node)
    method = _SEQUENCE_METHODS.get(name)
    return (UNKNOWN, None) if method is None else method(ctx, seq, name)


def _append(ctx: CallContext, seq: Seq, name: str) -> Result:
    if not ctx.args.pos:
        return UNKNOWN, None
    item, items = ctx.args.pos[0], seq.items
    if items is not None and len(items) < MAX_GROWTH and name != "add":
        return NONE, Seq(seq.cls, (item, *items) if name == "appendleft" else (*items, item))
    return NONE, Seq(seq.cls, None, join(element(seq), item))


def _insert(ctx: CallContext, seq: Seq, name: str) -> Result:
    if len(ctx.args.pos) != 2:
        return UNKNOWN, None
    place, item = ctx.args.pos
    if seq.items is not None and place == Const(0):
        return NONE, Seq(seq.cls, (item, *seq.items))
    return NONE, Seq(seq.cls, None, join(element(seq), item))


def _pop(ctx: CallContext, seq: Seq, name: str) -> Result:
    items = seq.items
    if items and (not ctx.args.pos or ctx.args.pos[0] in (Const(-1), Const(0))):
        front = name == "popleft" or ctx.args.pos == (Const(0),)
        return (items[0], Seq(seq.cls, items[1:])) if front else (items[-1], Seq(seq.cls, items[:-1]))
    item = element(seq)
    return (UNKNOWN if isinstance(item, Bottom) else item), Seq(seq.cls, None, item)


def _index(ctx: CallContext, seq: Seq, name: str) -> Result:
    items = seq.items
    wanted = ctx.args.pos[0] if ctx.args.pos else None
    if items is not None and wanted in items and all(isinstance(v, Const) for v in items):
        return Const(items.index(wanted)), None
    _compare(ctx, seq)
    return INT, None


def _remove(ctx: CallContext, seq: Seq, name: str) -> Result:
    _compare(ctx, seq)
    known = constants_in(seq)
    if known is not None and isinstance(ctx.args.first, Const) and ctx.args.first.value in known:
        place = known.index(ctx.args.first.value)
        return NONE, without_item(seq, Const(place))
    return _reorder(ctx, seq, name)


def _compare(ctx: CallContext, seq: Seq) -> None:
    """Report the comparison of an item with the tensors in a sequence, unless it is the first item itself."""
    if not identity.is_first_item(ctx, seq) and any(isinstance(v, Tensor) for v in members(element(seq))):
        ctx.emit("data-dependent-branch", "in", ("data-dependent-branching",), about=element(seq), likely=True)


def _reverse(ctx: CallContext, seq: Seq, name: str) -> Result:
    return NONE, Seq(seq.cls, None, element(seq)) if seq.items is None else Seq(seq.cls, seq.items[::-1])


def _sort(ctx: CallContext, seq: Seq, name: str) -> Result:
    sort_keys(ctx, seq, element(seq), ctx.args.kw.get("key"))
    known = constants_in(seq)
    if known is not None and not ctx.args.kw:
        try:
            return NONE, Seq(seq.cls, tuple([Const(value) for value in sorted(known)]))
        except TypeError:  # Python does not compare them
            return NONE, seq
    return _reorder(ctx, seq, name)


def _rotate(ctx: CallContext, seq: Seq, name: str) -> Result:
    # ``DequeVariable`` (torch/_dynamo/variables/lists.py) has no such method.
    ctx.emit("call", "collections.deque.rotate", ("unsupported-method-call",))
    return _reorder(ctx, seq, name)


def _reorder(ctx: CallContext, seq: Seq, name: str) -> Result:
    """Change the order or the number of items, so that only their kinds remain known."""
    return NONE, Seq(seq.cls, None, element(seq))


def _clear(ctx: CallContext, seq: Seq, name: str) -> Result:
    return NONE, Seq(seq.cls)


def _item_at(ctx: CallContext, seq: Seq, name: str) -> Result:
    return at(seq, ctx.args.pos[0]) if ctx.args.pos else UNKNOWN, None


def _length(ctx: CallContext, seq: Seq, name: str) -> Result:
    return INT if seq.items is None else Const(len(seq.items)), None


def _itself(ctx: CallContext, seq: Seq, name: str) -> Result:
    return seq, None


def _copy_sequence(ctx: CallContext, seq: Seq, name: str) -> Result:
    return replace(seq), None


def _extend(ctx: CallContext, seq: Seq, name: str) -> Result:
    if not ctx.args.pos:
        return UNKNOWN, None
    if name == "extend" and seq.items is not None:
        more = ctx.items_of(ctx.args.pos[0])
        if more is not None and len(seq.items) + len(more) <= MAX_GROWTH:
            return NONE, Seq(seq.cls, seq.items + more)
    return NONE, _with_items_of(ctx, seq)


def _combine(ctx: CallContext, seq: Seq, name: str) -> Result:
    known: Seq | None = seq
    for each in ctx.args.pos:
        known = None if known is None else combined_sets(name, known, each)
    return known or _with_items_of(ctx, seq), None


def _with_items_of(ctx: CallContext, seq: Seq) -> Seq:
    """Return a sequence of any items of ``seq`` and of the arguments."""
    return Seq(seq.cls, None, join_all((element(seq), *(ctx.item_of(each) for each in ctx.args.pos))))


_SEQUENCE_METHODS: Final[dict[str, Callable[[CallContext, Seq, str], Result]]] = {
    **dict.fromkeys(("append", "add", "appendleft"), _append),
    **dict.fromkeys(("extend", "update", "__iadd__"), _extend),
    **dict.fromkeys(("union", "intersection", "difference", "symmetric_difference"), _combine),
    **dict.fromkeys(("pop", "popleft"), _pop),
    "remove": _remove,
    "discard": _reorder,
    "copy": _copy_sequence,
    "__iter__": _itself,
    **dict.fromkeys(("__contains__", "issubset", "issuperset", "isdisjoint"), lambda ctx, seq, name: (BOOL, None)),
    "insert": _insert,
    "index": _index,
    "count": lambda ctx, seq, name: (INT, None),
    "reverse": _reverse,
    "sort": _sort,
    "rotate": _rotate,
    "clear": _clear,
    "numel": lambda ctx, seq, name: (Scalar("int", "size"), None),
    "__getitem__": _item_at,
    "__len__": _length,
}


def at(seq: Seq, index: Value) -> Value:
    """Return ``seq[index]`` for an integer index."""
    if seq.items is not None and isinstance(index, Const) and isinstance(index.value, int):
        if -len(seq.items) <= index.value < len(seq.items):
            return seq.items[index.value]
        return UNKNOWN
    if seq.first and isinstance(index, Const) and isinstance(index.value, int) and index.value >= 0:
        return seq.first[index.value] if index.value < len(seq.first) else seq.later
    item = element(seq)
    return UNKNOWN if isinstance(item, Bottom) else item


def value_at(mapping: Mapping, key: Value, default: Value | None = None) -> Value:
    """Return ``mapping[key]``, or ``mapping.get(key, default)`` with a default."""
    if isinstance(key, Const):
        found = mapping.get(key)
        if found is not None:
            if default is None or key not in mapping.optional:
                return found
            known = default if key in mapping.added else None
            return reach.expected(join(default, found), known if isinstance(known, Const) else None)
        if mapping.rest == UNPASSED and default is None and isinstance(key.value, str):
            return parameter_names.guess(key.value)
        if mapping.rest is None or mapping.rest == UNPASSED:
            return UNKNOWN if default is None else default
        if default is None:
            return container_aliases.copied(mapping.rest) if mapping.cls == "defaultdict" else mapping.rest
        found = join(default, _by_other_names(mapping.rest, default))
        return reach.expected(found, default) if isinstance(default, Const) else found
    values = [v for _, v in mapping.entries]
    if mapping.rest is not None:
        values.append(mapping.rest)
    if _mixed(values):
        values = [UNKNOWN]
    if default is not None:
        # A flag as one of the defaults says what is looked for.
        told = next((v for v in members(default) if isinstance(v, Const) and isinstance(v.value, bool)), None)
        values = [*(values if told is None else (_by_other_names(v, told) for v in values)), default]
    found = join_all(values) if values else UNKNOWN
    known = reach.usual(key)
    chosen = mapping.get(known) if isinstance(known, Const) else None
    if chosen is not None:
        return reach.expected(found, chosen)
    # What may be missing is mostly left out.
    return reach.expected(found, default) if isinstance(default, Const) and not mapping.entries else found


def _mixed(values: list[Value]) -> bool:
    """Return whether tensors and containers are among the values: the value under an unknown key is then unknown."""
    found = [member for value in values for member in members(value)]
    return any(isinstance(v, Tensor) for v in found) and any(isinstance(v, (Mapping, Seq)) for v in found)


def _by_other_names(rest: Value, default: Value) -> Value:
    """Return the alternatives of a lookup with a default, from values under unknown keys.

    Such a dict mostly collects options.  A default that is a number, a string or a flag is kept unless there are values
    of its kind; if the values are of many kinds, none of them says anything about this key.
    """
    found = [v for v in members(rest) if v != NONE]
    kind = scalar_of(default.value) if isinstance(default, Const) else default
    if isinstance(kind, Scalar):
        return join_all(v for v in found if (scalar_of(v.value) if isinstance(v, Const) else v) == kind)
    return rest if len(found) == 1 else UNKNOWN


def _values(mapping: Mapping) -> Value:
    return join_all((*(v for _, v in mapping.entries), *(() if mapping.rest is None else (mapping.rest,))))


def _mapping(ctx: CallContext, mapping: Mapping, name: str) -> Result:
    input_containers.read(ctx.interp, mapping, ctx.frame, ctx.node)
    method = _MAPPING_METHODS.get(name)
    return (UNKNOWN, None) if method is None else method(ctx, mapping)


def _is_exact(mapping: Mapping) -> bool:
    """Return whether all entries of a mapping are known."""
    return mapping.rest is None or mapping.rest == UNPASSED


def _key(ctx: CallContext) -> Value:
    return ctx.args.pos[0] if ctx.args.pos else UNKNOWN


def _items(ctx: CallContext, mapping: Mapping) -> Result:
    if _is_exact(mapping):
        return Seq("list", tuple(Seq("tuple", (k, v)) for k, v in mapping.entries)), None
    keys = join_all((mapping.keys, *(k for k, _ in mapping.entries)))
    return Seq("list", None, Seq("tuple", (keys, _values(mapping)))), None


def _values_view(ctx: CallContext, mapping: Mapping) -> Result:
    if _is_exact(mapping):
        return Seq("list", tuple(v for _, v in mapping.entries)), None
    return Seq("list", None, _values(mapping)), None


def _keys(ctx: CallContext, mapping: Mapping) -> Result:
    found = tuple(k for k, _ in mapping.entries)
    keys = Seq("list", found) if _is_exact(mapping) else Seq("list", None, join_all((mapping.keys, *found)))
    return input_containers.keys_made(mapping, keys, ctx.frame), None


def _most_common(ctx: CallContext, mapping: Mapping) -> Result:
    ctx.emit("call", "collections.Counter.most_common", ("failed-to-trace-builtin-operator",))
    return Seq("list", None, Seq("tuple", (mapping.keys, INT))), None


def _get(ctx: CallContext, mapping: Mapping) -> Result:
    key, default = _key(ctx), ctx.args.get(1, "default") or NONE
    is_flag = isinstance(default, Const) and isinstance(default.value, bool)
    if is_flag and ctx.frame.module.origin == "user" and mapping.get(key) is None:
        if mapping.rest is not None and UNKNOWN in members(mapping.rest):
            return reach.expected(BOOL, default), None  # unknown options may set the flag
    return value_at(mapping, key, default), None


def _copy(ctx: CallContext, mapping: Mapping) -> Result:
    """Copy a dict; the copy of a proxy is a dict."""
    return replace(mapping, cls="dict" if mapping.cls == input_containers.PROXY else mapping.cls), None


def _pop_key(ctx: CallContext, mapping: Mapping) -> Result:
    key = _key(ctx)
    value = value_at(mapping, key, ctx.args.get(1, "default"))
    rest = tuple((k, v) for k, v in mapping.entries if k != key)
    return value, Mapping(rest, mapping.rest, mapping.keys, mapping.cls, mapping.optional - {key}, mapping.added)


def _pop_item(ctx: CallContext, mapping: Mapping) -> Result:
    return Seq("tuple", (mapping.keys, _values(mapping))), mapping


def _set_default(ctx: CallContext, mapping: Mapping) -> Result:
    key = _key(ctx)
    old = mapping.get(key)
    if old is not None:
        return old, mapping
    value = value_at(mapping, key, ctx.args.get(1, "default") or NONE)
    return value, with_item(mapping, key, value)


def _update(ctx: CallContext, mapping: Mapping) -> Result:
    new: Value = mapping
    for arg in ctx.args.pos:
        new = merge_mappings(new, arg)
    for key, value in ctx.args.kw.items():
        new = with_item(new, Const(key), value)
    if ctx.args.kwstar is not None and isinstance(new, Mapping):
        new = Mapping(new.entries, ctx.args.kwstar, new.keys, new.cls)
    return NONE, new


def _number_of_keys(ctx: CallContext, mapping: Mapping) -> Result:
    return Const(len(mapping.entries)) if _is_exact(mapping) and not mapping.optional else INT, None


_MAPPING_METHODS: Final[dict[str, Callable[[CallContext, Mapping], Result]]] = {
    "items": _items,
    "values": _values_view,
    "keys": _keys,
    "most_common": _most_common,
    "get": _get,
    "pop": _pop_key,
    "popitem": _pop_item,
    "setdefault": _set_default,
    "update": _update,
    "copy": _copy,
    "__copy__": lambda ctx, mapping: (mapping, None),
    "clear": lambda ctx, mapping: (NONE, Mapping(cls=mapping.cls)),
    "__getitem__": lambda ctx, mapping: (value_at(mapping, _key(ctx)), None),
    "__len__": _number_of_keys,
    "__contains__": lambda ctx, mapping: (BOOL, None),
}
