"""Comparisons: the operators from ``==`` to ``not in``, over abstract values."""

from __future__ import annotations

import ast

from gblint.interp.domain import default_flags, tensor_layouts
from gblint.interp.domain.builtin_names import DATA_POINTER
from gblint.interp.domain.dtypes import dtype_family
from gblint.interp.evaluator.conditions import demand
from gblint.interp.evaluator.operators import fold, hint_of, is_text, tensor_result, usable
from gblint.interp.models.python import random_numbers, sequence_comparison, type_slots
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import (
    BOOL,
    NONE,
    UNKNOWN,
    UNPASSED,
    Const,
    Scalar,
    Tensor,
    Unknown,
    Value,
    members,
)
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import element, join_all
from gblint.values.objects import Class, ExternalName, ExternalObject, Function, Instance

_ORDERED = {
    ast.Lt: "__lt__",
    ast.LtE: "__le__",
    ast.Gt: "__gt__",
    ast.GtE: "__ge__",
    ast.Eq: "__eq__",
    ast.NotEq: "__ne__",
}


def comparison(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """Evaluate ``a < b < c``: each link but the last decides whether the next is evaluated."""
    assert isinstance(node, ast.Compare)
    left = interp.eval(node.left, frame)
    results: list[Value] = []
    for index, (op, comparator) in enumerate(zip(node.ops, node.comparators)):
        right = interp.eval(comparator, frame)
        result = default_flags.compared(op, left, right, interp.compare(op, left, right, frame, node))
        if index < len(node.ops) - 1:
            demand(interp, result, node, frame, "compare-chain")
        results.append(result)
        if interp.truth(result) is False and isinstance(result, Const):
            return result
        left = right
    if len(results) == 1:
        return results[0]
    decided = {interp.truth(r) for r in results}
    if decided == {True}:
        return results[-1]
    return join_all(results)


def compare(interp: Interpreter, op: ast.cmpop, left: Value, right: Value, frame: Frame, node: ast.AST) -> Value:
    """Evaluate one comparison."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = _identical(left, right)
        return BOOL if same is None else Const(same == isinstance(op, ast.Is))
    if isinstance(op, (ast.In, ast.NotIn)):
        return _contains(interp, op, left, right, frame, node)
    equality = isinstance(op, (ast.Eq, ast.NotEq))
    lefts = list(members(left)) if equality else usable(left)
    rights = list(members(right)) if equality else usable(right)
    result = join_all(_compare(interp, op, a, b, frame, node) for a in lefts for b in rights)
    trace_builder.operator(frame, node, result)
    return result


def _identical(left: Value, right: Value) -> bool | None:
    answers = {_identical_pair(a, b) for a in members(left) for b in members(right)}
    return answers.pop() if len(answers) == 1 else None


def _identical_pair(a: Value, b: Value) -> bool | None:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const) and (one.value is None or isinstance(one.value, bool)):
            if isinstance(other, Const):
                return one == other
            if isinstance(other, Unknown):
                return None
            if one.value is not None and isinstance(other, Scalar) and other.kind == "bool":
                return None
            return False
    if isinstance(a, (Class, Function)) and isinstance(b, (Class, Function)):
        return a == b
    if isinstance(a, ExternalName) and isinstance(b, ExternalName):
        return a == b
    if isinstance(a, Instance) and a is b:
        return True
    return None


def _compare(interp: Interpreter, op: ast.cmpop, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value:
    if isinstance(a, Const) and isinstance(b, Const):
        return fold(op, a, b)
    if isinstance(a, Instance) and isinstance(a.cls, Class):
        method = interp.class_attribute(a.cls, _ORDERED[type(op)])
        if isinstance(method, Function):
            return interp.call(method, Args((a, b)), frame, node)
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        other = b if isinstance(a, Tensor) else a
        if isinstance(op, (ast.Eq, ast.NotEq)) and (other == NONE or is_text(other)):
            return Const(isinstance(op, ast.NotEq))
        tensor_layouts.touch(interp, a, frame, node)
        tensor_layouts.touch(interp, b, frame, node)
        result = tensor_result(op, a, b)
        assert isinstance(result, Tensor)
        return Tensor(result.rank, "bool", result.proven, False, result.ndarray)
    if isinstance(a, Seq) and isinstance(b, Seq) and sequence_comparison.of_sequences(interp, op, a, b, frame, node):
        return BOOL
    if isinstance(a, Seq) and isinstance(b, Seq) and not isinstance(op, (ast.Eq, ast.NotEq)):
        less = (
            sequence_comparison.is_less(a, b)
            if isinstance(op, (ast.Lt, ast.GtE))
            else sequence_comparison.is_less(b, a)
        )
        if less is not None:
            return Const(less == isinstance(op, (ast.Lt, ast.Gt)))
    if ExternalObject(DATA_POINTER) in (a, b) and not same_expression(node):
        interp.emit(frame, node, "tensor-method", "data_ptr", ("data-pointer-comparison",))
        return BOOL
    if (
        (type_slots.kind_of(a) or type_slots.kind_of(b))
        and not same_expression(node)
        and type_slots.compared(interp, a, b, frame, node)
    ):
        return BOOL
    if isinstance(op, (ast.Eq, ast.NotEq)):
        equal = _equal(a, b)
        if equal is not None:
            return Const(equal == isinstance(op, ast.Eq))
    for origin in ("data", "random"):
        if any(isinstance(v, Scalar) and v.origin == origin for v in (a, b)):
            return Scalar("bool", origin)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return (
            Unknown("tensor") if "tensor" in (hint_of(a), hint_of(b)) else BOOL if is_text(a) or is_text(b) else UNKNOWN
        )
    return BOOL


def same_expression(node: ast.AST) -> bool:
    """Return whether a comparison is that of a pointer with itself: ``x.data_ptr() == x.data_ptr()``."""
    return isinstance(node, ast.Compare) and ast.dump(node.left) == ast.dump(node.comparators[0])


def _equal(a: Value, b: Value) -> bool | None:
    """Return ``a == b`` if the kinds of the values decide it."""
    if isinstance(a, (Class, Function)) and isinstance(b, (Class, Function)):
        return a == b
    if isinstance(a, ExternalName) and isinstance(b, ExternalName):
        return a == b if a.name.rpartition(".")[0] == b.name.rpartition(".")[0] else None
    if isinstance(a, ExternalObject) and isinstance(b, ExternalName):
        return _dtype_equal(a, b)
    if isinstance(b, ExternalObject) and isinstance(a, ExternalName):
        return _dtype_equal(b, a)
    if isinstance(a, Seq) and isinstance(b, Seq) and a.items is not None and b.items is not None:
        if {a.cls, b.cls} <= {"set", "frozenset"}:
            known = all(isinstance(v, Const) for v in (*a.items, *b.items))
            return set(a.items) == set(b.items) if known else None
        if len(a.items) != len(b.items):
            return False
        if all(isinstance(v, Const) for v in (*a.items, *b.items)):
            return a.items == b.items
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const):
            if one.value is None and isinstance(
                other, (Scalar, Seq, Mapping, Instance, Function, Class, ExternalObject)
            ):
                return False
            if isinstance(one.value, str) and isinstance(other, (Seq, Mapping, Function, Class)):
                return False
            if isinstance(one.value, str) and isinstance(other, Scalar) and other.kind != "str":
                return False
    return None


def _dtype_equal(dtype: ExternalObject, constant: ExternalName) -> bool | None:
    base, _, family = dtype.cls.partition(":")
    if base != "torch.dtype" or not family:
        return None
    other = dtype_family(constant.name)
    if other is None:
        return None
    if other != family:
        return False
    return True if family in ("bool", "uint8") else None


def _contains(interp: Interpreter, op: ast.cmpop, left: Value, right: Value, frame: Frame, node: ast.AST) -> Value:
    positive = isinstance(op, ast.In)
    answers: set[bool | None] = set()
    for container in members(right):
        type_slots.refused(interp, "contains", container, frame, node)
        if isinstance(container, Instance) and isinstance(container.cls, Class):
            method = interp.class_attribute(container.cls, "__contains__")
            if isinstance(method, Function):
                answers.add(interp.truth(interp.call(method, Args((container, left)), frame, node)))
                continue
        if isinstance(container, Tensor):
            interp.emit(frame, node, "data-dependent-branch", "in", ("data-dependent-branching",), about=container)
        elif random_numbers.is_random_number(left):
            random_numbers.report(interp, "in", ("builtin-operator-on-tensors",), frame, node)
        elif isinstance(container, Seq) and any(isinstance(v, Scalar) and v.origin == "data" for v in members(left)):
            interp.emit(frame, node, "data-dependent-branch", "in", ("data-dependent-branching",), about=left)
        if isinstance(container, Seq) and container.cls != "set" and any(isinstance(v, Tensor) for v in members(left)):
            if any(isinstance(v, (Tensor, Scalar, Const)) and v != NONE for v in members(element(container))):
                interp.emit(frame, node, "data-dependent-branch", "in", ("data-dependent-branching",), about=left)
        answers.add(_among(left, container))
    answer = answers.pop() if len(answers) == 1 else None
    return BOOL if answer is None else Const(answer == positive)


def _among(left: Value, container: Value) -> bool | None:
    if not isinstance(left, Const):
        return (
            False
            if isinstance(container, (Seq, Mapping)) and container in (Seq("list"), Seq("tuple"), Mapping())
            else None
        )
    if isinstance(container, Seq) and container.items is not None:
        if left in container.items:
            return True
        return False if all(isinstance(v, Const) for v in container.items) else None
    if isinstance(container, Mapping):
        if container.get(left) is not None:
            return True if container.rest is None or container.rest == UNPASSED else None
        return False if container.rest is None or container.rest == UNPASSED else None
    if isinstance(container, Const) and isinstance(container.value, str) and isinstance(left.value, str):
        return left.value in container.value
    return None
