"""The lattice of abstract values: joins where paths meet, and widening in loops."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final

from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import (
    BOTTOM,
    MANY,
    NUMBER,
    STR,
    UNKNOWN,
    Bottom,
    Const,
    Scalar,
    Tensor,
    TextMember,
    Union,
    Unknown,
    Value,
    scalar_of,
)
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.objects import BoundMethod, Class, Function, Instance, is_nn_module
from gblint.values.shapes import shape

MAX_MEMBERS = 8
MAX_OBJECTS = 24
MAX_FUNCTIONS = 40
MAX_LAYERS = 4
"""Modules with parts of the same classes that stand for all of them, where there are more than MAX_OBJECTS objects."""
MAX_CONSTANTS = 4
MAX_JOIN_DEPTH = 6
MAX_STARTING_ITEMS = 16
"""Items at the start of two sequences of other lengths that their join knows one by one."""
ORDERED: Final = frozenset(("list", "tuple", "deque", "Size"))
"""The sequences whose items have an order."""


def join(left: Value, right: Value, depth: int = 0) -> Value:
    """Return the least value of the domain that covers both ``left`` and ``right``."""
    if left is right:
        return left
    if left == right:
        return _agreed(left, right)
    if type(left) is Bottom:
        return right
    if type(right) is Bottom:
        return left
    return join_all((left, right), depth)


def _agreed(left: Value, right: Value) -> Value:
    """Return the join of equal values, which may differ in what is usual."""
    if isinstance(left, (Scalar, Union)) and isinstance(right, (Scalar, Union)) and left.usual != right.usual:
        return replace(left, usual=None)
    return left


def join_all(values: Iterable[Value], depth: int = 0) -> Value:
    """Join any number of values; the join of no values is ``BOTTOM``."""
    out: list[Value] = []
    # The members of ``out`` that can only merge with an equal value. They are looked up by hash, since tables hold
    # thousands of constants. ``scalars`` is true once ``out`` has a scalar, because constants may merge into it.
    apart: set[Value] = set()
    scalars = False
    # What is usual in each of the values is so in their join; ``BOTTOM`` as long as there is none.
    usual: Value | None = BOTTOM
    for value in values:
        if usual is not None and value is not BOTTOM:
            here = _usual(value)
            usual = here if usual is BOTTOM or here == usual else None
        for member in value.members if type(value) is Union else (value,):
            kind = type(member)
            if kind is Const:
                if member in apart:
                    continue
                if not scalars:
                    apart.add(member)
                    out.append(member)
                    continue
            elif kind not in _FAMILIES:
                if kind is not Bottom and member not in apart:
                    apart.add(member)
                    out.append(member)
                continue
            _add(out, member, depth)
            if kind is Scalar:
                scalars = True
                apart = {v for v in out if type(v) not in _FAMILIES}
            elif kind is Const and out[-1] is member:
                apart.add(member)
    if not out:
        return BOTTOM
    if len(out) == 1:
        return out[0]
    out = _limit(out)
    return out[0] if len(out) == 1 else Union(tuple(out), usual)


def _usual(value: Value) -> Value | None:
    if type(value) is Const:
        return value
    return value.usual if isinstance(value, (Scalar, Union)) else None


def _add(out: list[Value], new: Value, depth: int) -> None:
    kind = type(new)
    if kind is Bottom:
        return
    for index, old in enumerate(out):
        if old is new:
            return
        if type(old) is kind and old == new:
            out[index] = _agreed(old, new)
            return
    if kind is Const:
        partner: type = Scalar
    elif kind in _FAMILIES:
        partner = Const if kind is Scalar else kind
    else:
        out.append(new)
        return
    for index, old in enumerate(out):
        old_kind = type(old)
        if old_kind is not partner and (old_kind is not kind or kind is Const):
            continue
        merged = _merge(old, new, depth)
        if merged is not None:
            if merged != old:
                del out[index]
                _add(out, merged, depth)
            else:
                out[index] = merged
            return
    out.append(new)


def _limit(out: list[Value]) -> list[Value]:
    """Limit the size of a union: constants lose their values first, then all members but one tensor become unknown.

    Instances and classes, and functions and methods, have higher limits: a dispatch table may hold many of them.  Of
    modules that are alike, the last ones stand for all.
    """
    if len(out) <= MAX_CONSTANTS:
        return out
    constants = [v for v in out if type(v) is Const and v.value is not None and not isinstance(v.value, str)]
    strings = [v for v in out if type(v) is Const and isinstance(v.value, str)]
    for group, most in ((constants, MAX_CONSTANTS), (strings, 2 * MAX_CONSTANTS)):
        if len(group) > most:
            gone = set(group)
            kept = [v for v in out if type(v) is not Const or v not in gone]
            if group is strings:
                kept = [_without_text(v) for v in kept]
            widened: list[Value] = []
            for value in (*kept, *(scalar_of(v.value) for v in group if isinstance(v, Const))):
                _add(widened, value, 0)
            out = widened
    objects = sum(isinstance(v, (Instance, Class)) for v in out)
    functions = sum(isinstance(v, (BoundMethod, Function)) for v in out)
    others = len(out) - objects - functions
    if objects > MAX_OBJECTS or functions > MAX_FUNCTIONS:
        fewer = _without_alike_modules(out)
        if len(fewer) < len(out):
            return _limit(fewer)
    if others > MAX_MEMBERS or objects > MAX_OBJECTS or functions > MAX_FUNCTIONS:
        keep = [v for v in out if isinstance(v, Tensor)][:1]
        return [*keep, MANY if objects or functions else UNKNOWN]
    return out


def _without_alike_modules(values: list[Value]) -> list[Value]:
    """Leave out modules, and methods of modules, that are like others: the last ones stand for all of them.

    A loop that makes layers with their numbers makes any further layer after a certain number of them, so that the last
    one has no number.
    """
    alike: dict[Hashable, list[Value]] = {}
    for value in values:
        kind: Hashable = value
        if is_nn_module(value):
            kind = shape(value)
        elif isinstance(value, BoundMethod) and is_nn_module(value.receiver):
            kind = (value.function, shape(value.receiver))
        alike.setdefault(kind, []).append(value)
    return [value for group in alike.values() for value in group[-MAX_LAYERS:]]


def _without_text(value: Value) -> Value:
    """Forget the items of a sequence of strings, as is done for strings themselves; return other values unchanged."""
    if type(value) is Seq and value.items and all(type(v) is Const and isinstance(v.value, str) for v in value.items):
        return Seq(value.cls, (STR,) * len(value.items))
    return value


def _merge(a: Value, b: Value, depth: int) -> Value | None:
    """Return one value that covers both if they are of one family, None if they must stay separate members."""
    if isinstance(a, Const):
        return _merge_constant(b, a) if isinstance(b, Scalar) else None
    if isinstance(a, Scalar) and isinstance(b, Const):
        return _merge_constant(a, b)
    kind = type(a)
    return _FAMILIES[kind](a, b, depth) if kind is type(b) and kind in _FAMILIES else None


def _merge_constant(a: Scalar, b: Const) -> Value | None:
    if isinstance(b.value, TextMember):
        return None
    same = scalar_of(b.value)
    if not isinstance(same, Scalar) or same.kind != a.kind:
        return None
    if a.usual in (None, b):
        return a if a.likely in (None, b) else replace(a, likely=None)
    return replace(a, likely=a.likely if a.likely == b else None, usual=None)


def _merge_scalars(a: Scalar, b: Scalar, depth: int) -> Value | None:
    if a.kind == b.kind:
        origins = (a.origin, b.origin)
        origin = "data" if "data" in origins else "random" if "random" in origins else a.origin
        usual = a.usual if a.usual == b.usual else None
        return Scalar(a.kind, origin, a.likely if a.likely == b.likely else None, usual)
    numbers = {a.kind, b.kind} <= {"number", "int", "float", "complex"}
    return NUMBER if numbers and "number" in (a.kind, b.kind) else None


def _merge_unknowns(a: Unknown, b: Unknown, depth: int) -> Value | None:
    return b if a.hint in ("", "unpassed") else a


def _merge_tensors(a: Tensor, b: Tensor, depth: int) -> Value | None:
    return Tensor(
        rank=a.rank if a.rank == b.rank else None,
        dtype=a.dtype if a.dtype == b.dtype else None,
        proven=a.proven and b.proven and a.ndarray == b.ndarray,
        is_input=a.is_input and b.is_input,
        ndarray=a.ndarray and b.ndarray,
        requires_grad=a.requires_grad if a.requires_grad == b.requires_grad else None,
        constant=a.constant and b.constant,
        length=a.length if a.length == b.length else None,
        transposed=a.transposed and b.transposed,
        operand_id=a.operand_id if a.operand_id == b.operand_id else 0,
        layout=a.layout if a.layout == b.layout else "",
        grad_provenance=a.grad_provenance if a.grad_provenance == b.grad_provenance else "",
        unbacked=a.unbacked and b.unbacked,
        unguarded=a.unguarded and b.unguarded,
    )


def _deeper(a: Value, b: Value, depth: int) -> Value:
    return UNKNOWN if depth >= MAX_JOIN_DEPTH else join(a, b, depth + 1)


def _merge_sequences(a: Seq, b: Seq, depth: int) -> Value | None:
    if a.cls != b.cls and {a.cls, b.cls} != {"tuple", "Size"}:
        return None
    cls = "tuple" if a.cls != b.cls else a.cls
    if a.items is not None and b.items is not None and len(a.items) == len(b.items):
        return Seq(cls, tuple(_deeper(x, y, depth) for x, y in zip(a.items, b.items)))
    count = min(len(known_start(a)), len(known_start(b)), MAX_STARTING_ITEMS)
    if count == 0 or cls not in ORDERED:
        return Seq(cls, None, _deeper(element(a), element(b), depth))
    first = tuple(_deeper(x, y, depth) for x, y in zip(known_start(a)[:count], known_start(b)))
    return open_ended(cls, first, _deeper(_after(a, count), _after(b, count), depth))


def _merge_mappings(a: Mapping, b: Mapping, depth: int) -> Value | None:
    if a.cls != b.cls:
        return None
    entries: dict[Value, Value] = dict(a.entries)
    for key, value in b.entries:
        entries[key] = _deeper(entries[key], value, depth) if key in entries else value
    rest = a.rest if b.rest is None else b.rest if a.rest is None else _deeper(a.rest, b.rest, depth)
    if len(entries) > 64:
        return Mapping((), join_all((*entries.values(), *(() if rest is None else (rest,)))), a.keys, a.cls)
    optional = a.optional | b.optional | _lacking(a, entries) | _lacking(b, entries)
    return Mapping(tuple(entries.items()), rest, join(a.keys, b.keys), a.cls, optional, a.added & b.added)


def _lacking(mapping: Mapping, entries: dict[Value, Value]) -> frozenset[Value]:
    """Return the keys of ``entries`` that ``mapping`` has no entry for."""
    if len(mapping.entries) == len(entries):
        return frozenset()
    return frozenset(entries).difference([key for key, _ in mapping.entries])


def _merge_iterators(a: Iterator, b: Iterator, depth: int) -> Value | None:
    return Iterator(a.cls, _deeper(a.item, b.item, depth), a.pre_existing or b.pre_existing)


_FAMILIES: Final[dict[type, Callable[[Any, Any, int], Value | None]]] = {
    Tensor: _merge_tensors,
    Scalar: _merge_scalars,
    Unknown: _merge_unknowns,
    Seq: _merge_sequences,
    Mapping: _merge_mappings,
    Iterator: _merge_iterators,
}
"""The functions that merge two values of a class; values of other classes stay apart."""


def open_ended(cls: str, first: tuple[Value, ...], later: Value) -> Seq:
    """Return a sequence of the items ``first`` and any number of further ones, whose join is ``later``."""
    if isinstance(later, Bottom):
        return Seq(cls, first)
    return Seq(cls, None, join_all((*first, later)), None, first, later)


def changed_items(seq: Seq, change: Callable[[Value], Value]) -> Seq:
    """Return a sequence with all its items changed by a function; itself if it is equal."""
    if seq.first:
        new = open_ended(seq.cls, tuple(map(change, seq.first)), change(seq.later))
    else:
        items = None if seq.items is None else tuple(map(change, seq.items))
        new = replace(seq, items=items, rest=change(seq.rest))
    return seq if new == seq else new


def as_input(value: Value) -> Value:
    """Return a value that comes from outside of the region: Dynamo has a source for its tensors.

    It has one for the items of a container as well.
    """
    if isinstance(value, Tensor):
        return value if value.is_input and not value.constant else replace(value, is_input=True, constant=False)
    if isinstance(value, Union):
        alternatives = _inputs(value.members)
        return value if alternatives is None else replace(value, members=alternatives)
    if isinstance(value, Seq):
        if value.items is not None:
            items = _inputs(value.items)
            return value if items is None else replace(value, items=items)
        known = _inputs((*value.first, value.later)) if value.first else None
        if known is not None:
            return open_ended(value.cls, known[:-1], known[-1])
        rest = as_input(value.rest)
        return value if value.first or rest is value.rest else replace(value, rest=rest)
    if isinstance(value, Mapping):
        others = () if value.rest is None else (value.rest,)
        found = _inputs((*(item for _, item in value.entries), *others))
        if found is None:
            return value
        entries = tuple([(key, item) for (key, _), item in zip(value.entries, found)])
        return replace(value, entries=entries, rest=found[-1] if others else None)
    return value


def _inputs(values: tuple[Value, ...]) -> tuple[Value, ...] | None:
    """Return values as inputs; None if they are the same."""
    found = tuple(map(as_input, values))
    return None if all(map(operator.is_, found, values)) else found


def known_start(seq: Seq) -> tuple[Value, ...]:
    """Return the items at the start of a sequence that are known one by one."""
    return seq.first if seq.items is None else seq.items


def _after(seq: Seq, count: int) -> Value:
    """Return the join of the items of ``seq`` but the first ``count``, which are known one by one."""
    inside = known_start(seq)[count:]
    return join_all(inside) if seq.items is not None else join_all((*inside, seq.later))


def concatenated(a: Seq, b: Value, item: Value) -> Seq:
    """Return ``a + b`` if not all items of both are known; ``item`` is the join of those of ``b``."""
    first = known_start(a)
    if a.cls not in ORDERED or not first or len(first) > MAX_STARTING_ITEMS:
        return Seq(a.cls, None, join(element(a), item))
    if a.items is None:
        return open_ended(a.cls, first, join(a.later, item))
    if isinstance(b, Seq) and b.first and len(first) + len(b.first) <= MAX_STARTING_ITEMS:
        return open_ended(a.cls, first + b.first, b.later)
    return open_ended(a.cls, first, item)


def element(seq: Seq) -> Value:
    """Return the join of the items of ``seq``; ``BOTTOM`` if it is known to be empty."""
    return join_all(seq.items) if seq.items is not None else seq.rest


def is_text_constant(value: Value) -> bool:
    """Return whether a value is a known string."""
    return isinstance(value, Const) and isinstance(value.value, str)


def hint_of(value: Value) -> str:
    """Return the hint of an unknown value; "" for any other value."""
    return value.hint if isinstance(value, Unknown) else ""


def is_text(value: Value) -> bool:
    """Return whether a value is a string, known or not."""
    return is_text_constant(value) or (isinstance(value, Scalar) and value.kind == "str")


def widen(value: Value) -> Value:
    """Return ``value`` without the parts that grow in a loop: values of constants and lengths of sequences."""
    if isinstance(value, Const):
        return value if value.value is None or isinstance(value.value, (bool, str)) else scalar_of(value.value)
    if isinstance(value, Seq) and value.items is not None and len(value.items) > 0 and value.cls != "Size":
        if value.cls == "tuple" and len(value.items) <= MAX_CONSTANTS and all(map(is_text_constant, value.items)):
            return value  # a nested key, such as that of a tensordict
        return Seq(value.cls, None, join_all(value.items))
    if isinstance(value, Tensor):
        return Tensor(None, None, value.proven, value.is_input, value.ndarray)
    if isinstance(value, Union):
        return join_all(widen(m) for m in value.members)
    return value
