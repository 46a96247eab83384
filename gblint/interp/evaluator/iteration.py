"""Going through a value: its items one by one where they are known, else any one of them."""

from __future__ import annotations

import ast

from gblint.interp.evaluator import classes
from gblint.interp.models.python import opaque_objects
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import (
    BOTTOM,
    INT,
    STR,
    UNKNOWN,
    UNPASSED,
    Const,
    Scalar,
    Tensor,
    Union,
    Unknown,
    Value,
    members,
)
from gblint.values.containers import Iterator, Mapping, Range, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, ExternalObject, Instance

MAX_ITEMS = 64


def items_of(m: Interpreter, value: Value, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    """All items of ``value`` in order, None where they are not known."""
    if isinstance(value, Seq):
        return value.items
    if isinstance(value, Iterator):
        return None if value.outside and frame.mode.tracing else value.items
    if isinstance(value, Range):
        if value.count is not None and value.count <= MAX_ITEMS:
            return tuple(Const(value.start + i * value.step) for i in range(value.count))
        return None
    if isinstance(value, Mapping):
        return tuple(k for k, _ in value.entries) if value.rest is None or value.rest == UNPASSED else None
    if isinstance(value, Const) and isinstance(value.value, (str, bytes)) and len(value.value) <= MAX_ITEMS:
        return tuple(Const(c) for c in value.value)
    if isinstance(value, Instance):
        inner = _inner(m, value, frame, node)
        return None if inner is None or inner is value else m.items_of(inner, frame, node)
    if isinstance(value, Union):
        known = [v for v in value.members if v != Const(None)]
        if len(known) == 1:
            return m.items_of(known[0], frame, node)
    return None


def item_of(m: Interpreter, value: Value, frame: Frame, node: ast.AST) -> Value:
    """Any one item of ``value``; ``BOTTOM`` if it has none."""
    return join_all(_item(m, member, frame, node) for member in members(value) if member != Const(None))


def _item(m: Interpreter, value: Value, frame: Frame, node: ast.AST) -> Value:
    if isinstance(value, Tensor):
        rank = None if value.rank is None else max(value.rank - 1, 0)
        return Tensor(rank, value.dtype, value.sure, False, value.ndarray)
    if isinstance(value, Seq):
        return join_all(value.items) if value.items is not None else value.rest
    if isinstance(value, Iterator):
        if value.outside and frame.mode.tracing:
            subject = "outside-generator" if value.cls == "generator" else "outside-iterator"
            m.emit(frame, node, "iterator", subject, ("GB0811", "GB4347"))
        return value.item
    if isinstance(value, Range):
        return INT
    if isinstance(value, Mapping):
        if value.rest == UNPASSED:
            return join_all(k for k, _ in value.entries)
        return value.keys if value.rest is not None or not value.entries else join_all(k for k, _ in value.entries)
    if isinstance(value, Const):
        return STR if isinstance(value.value, str) else INT if isinstance(value.value, bytes) else UNKNOWN
    if isinstance(value, Scalar):
        return STR if value.kind == "str" else UNKNOWN
    if isinstance(value, Instance):
        inner = _inner(m, value, frame, node)
        return UNKNOWN if inner is None or inner is value else m.item_of(inner, frame, node)
    if isinstance(value, Unknown):
        return value
    opaque_objects.read(m, value, "GB0811", frame, node)
    if isinstance(value, ExternalObject) and value.cls.startswith("torch.utils.data."):
        m.emit(frame, node, "iterator", value.cls, ("GB0008",))
    return UNKNOWN


def _inner(m: Interpreter, value: Instance, frame: Frame, node: ast.AST) -> Value | None:
    """What iterating over an instance iterates over."""

    if isinstance(value.cls, Class):
        method = m.class_attribute(value.cls, "__iter__")
        if method is not None:
            return m.call(method, Args((value,)), frame, node)
    items = value.attrs.get("__items__")
    if items is not None:
        return items
    if isinstance(value.cls, Class):
        fields = classes.tuple_fields(m, value)
        if fields is not None:
            return Seq("tuple", fields)
        method = m.class_attribute(value.cls, "__getitem__")
        if method is not None:
            return Iterator("iterator", m.call(method, Args((value, INT)), frame, node))
    return None


def any_item(value: Value) -> Value:
    """Any one item, for callers without a frame."""
    if isinstance(value, Seq):
        return join_all(value.items) if value.items is not None else value.rest
    return value.item if isinstance(value, Iterator) else BOTTOM
