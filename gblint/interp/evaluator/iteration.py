"""Iteration: the items of a value one by one if they are known, else the join of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from gblint.interp.domain import builtin_names, class_fields, container_aliases, torch_records
from gblint.interp.evaluator import classes
from gblint.interp.models.python import opaque_objects
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import (
    BOTTOM,
    INT,
    NONE,
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
from gblint.values.containers import COUNTER, Iterator, Mapping, Range, Seq
from gblint.values.dispatch import HandlersByClass
from gblint.values.lattice import element, join_all
from gblint.values.objects import Class, ExternalObject, Instance

MAX_ITEMS = 64
_ItemsHandler = Callable[[Interpreter, Any, Frame, ast.AST], "tuple[Value, ...] | None"]
_ItemHandler = Callable[[Interpreter, Any, Frame, ast.AST], Value]


def items_of(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    """Return the items of an iterable, in order; None if they are not all known.

    Dynamo: ``VariableTracker.unpack_var_sequence`` (torch/_dynamo/variables/base.py).
    """
    return _ITEMS[type(value)](interp, value, frame, node)


def item_of(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> Value:
    """Return the join of the items of an iterable; ``BOTTOM`` if it is empty."""
    return join_all(_ITEM[type(v)](interp, v, frame, node) for v in members(value) if v != NONE)


# -- all items, in order ---------------------------------------------------------------------------------------------


def _unknown_items(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    return None


def _sequence_items(interp: Interpreter, value: Seq, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    return value.items


def _iterator_items(interp: Interpreter, value: Iterator, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    return None if value.pre_existing and frame.mode.tracing else value.items


def _range_items(interp: Interpreter, value: Range, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    if value.count is None or value.count > MAX_ITEMS:
        return None
    return tuple([Const(value.start + i * value.step) for i in range(value.count)])


def _mapping_items(interp: Interpreter, value: Mapping, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    return tuple([k for k, _ in value.entries]) if value.rest is None or value.rest == UNPASSED else None


def _constant_items(interp: Interpreter, value: Const, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    text = value.value
    return tuple([Const(c) for c in text]) if isinstance(text, (str, bytes)) and len(text) <= MAX_ITEMS else None


def _instance_items(interp: Interpreter, value: Instance, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    inner = _inner(interp, value, frame, node)
    return None if inner is None or inner is value else interp.items_of(inner, frame, node)


def _union_items(interp: Interpreter, value: Union, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    known = [v for v in value.members if v != NONE]
    return interp.items_of(known[0], frame, node) if len(known) == 1 else None


def _record_items(interp: Interpreter, value: ExternalObject, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    return torch_records.fields(value)


def _class_items(interp: Interpreter, value: Class, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
    """Return the members of an enum; those of a large one are not all known, and no other class has items."""
    found = classes.enum_members(interp, value) if value.inherits(*builtin_names.ENUMS) else []
    return tuple(found) if 0 < len(found) < classes.MAX_ENUM else None


_ITEMS: Final[HandlersByClass[_ItemsHandler]] = HandlersByClass(
    {
        ExternalObject: _record_items,
        Class: _class_items,
        Seq: _sequence_items,
        Iterator: _iterator_items,
        Range: _range_items,
        Mapping: _mapping_items,
        Const: _constant_items,
        Instance: _instance_items,
        Union: _union_items,
        Value: _unknown_items,
    }
)


# -- any item --------------------------------------------------------------------------------------------------------


def _tensor_item(interp: Interpreter, value: Tensor, frame: Frame, node: ast.AST) -> Value:
    rank = None if value.rank is None else max(value.rank - 1, 0)
    return Tensor(rank, value.dtype, value.proven, False, value.ndarray)


def _sequence_item(interp: Interpreter, value: Seq, frame: Frame, node: ast.AST) -> Value:
    return element(value)


def _iterator_item(interp: Interpreter, value: Iterator, frame: Frame, node: ast.AST) -> Value:
    if value.pre_existing and frame.mode.tracing and value.cls != COUNTER:
        subject = "outside-generator" if value.cls == "generator" else "outside-iterator"
        interp.emit(frame, node, "iterator", subject, ("missing-tp-iter", "missing-tp-iternext"))
    elif value.cls.startswith("tqdm."):
        interp.emit(frame, node, "iterator", value.cls, ("inlining-of-skipped-function",))
    return container_aliases.copied(value.item)


def _range_item(interp: Interpreter, value: Range, frame: Frame, node: ast.AST) -> Value:
    return INT


def _mapping_item(interp: Interpreter, value: Mapping, frame: Frame, node: ast.AST) -> Value:
    if value.rest == UNPASSED:
        return join_all(k for k, _ in value.entries)
    return value.keys if value.rest is not None or not value.entries else join_all(k for k, _ in value.entries)


def _constant_item(interp: Interpreter, value: Const, frame: Frame, node: ast.AST) -> Value:
    return STR if isinstance(value.value, str) else INT if isinstance(value.value, bytes) else UNKNOWN


def _scalar_item(interp: Interpreter, value: Scalar, frame: Frame, node: ast.AST) -> Value:
    return STR if value.kind == "str" else UNKNOWN


def _instance_item(interp: Interpreter, value: Instance, frame: Frame, node: ast.AST) -> Value:
    inner = _inner(interp, value, frame, node)
    return UNKNOWN if inner is None or inner is value else interp.item_of(inner, frame, node)


def _unknown_item(interp: Interpreter, value: Unknown, frame: Frame, node: ast.AST) -> Value:
    return value


def _object_item(interp: Interpreter, value: ExternalObject, frame: Frame, node: ast.AST) -> Value:
    opaque_objects.read(interp, value, "missing-tp-iter", frame, node)
    if value.cls.startswith(opaque_objects.DATA):
        interp.emit(frame, node, "iterator", value.cls, ("inlining-of-skipped-function",))
    return UNKNOWN


def _class_item(interp: Interpreter, value: Class, frame: Frame, node: ast.AST) -> Value:
    found = _class_items(interp, value, frame, node)
    return _other_item(interp, value, frame, node) if found is None else join_all(found)


def _other_item(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> Value:
    opaque_objects.read(interp, value, "missing-tp-iter", frame, node)
    return UNKNOWN


_ITEM: Final[HandlersByClass[_ItemHandler]] = HandlersByClass(
    {
        Tensor: _tensor_item,
        Seq: _sequence_item,
        Iterator: _iterator_item,
        Range: _range_item,
        Mapping: _mapping_item,
        Const: _constant_item,
        Scalar: _scalar_item,
        Instance: _instance_item,
        Unknown: _unknown_item,
        ExternalObject: _object_item,
        Class: _class_item,
        Value: _other_item,
    }
)


def _inner(interp: Interpreter, value: Instance, frame: Frame, node: ast.AST) -> Value | None:
    """Return the value that iterates in place of an object: the result of ``__iter__``, its items or its fields."""
    if isinstance(value.cls, Class):
        method = interp.class_attribute(value.cls, "__iter__")
        if method is not None:
            return interp.call(method, Args((value,)), frame, node)
    items = value.attrs.get("__items__")
    if items is not None:
        return items
    if isinstance(value.cls, Class):
        fields = class_fields.tuple_fields(interp, value)
        if fields is not None:
            return Seq("tuple", fields)
        method = interp.class_attribute(value.cls, "__getitem__")
        if method is not None:
            return Iterator("iterator", interp.call(method, Args((value, INT)), frame, node))
    return None


def any_item(value: Value) -> Value:
    """Return the join of the items of a sequence or an iterator; ``BOTTOM`` for other values."""
    if isinstance(value, Seq):
        return element(value)
    return value.item if isinstance(value, Iterator) else BOTTOM
