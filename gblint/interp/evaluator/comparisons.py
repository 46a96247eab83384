"""Comparisons: the operators from ``==`` to ``not in``, over abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final

from gblint.interp.domain import reach, tensor_layouts
from gblint.interp.domain.access_paths import access_path
from gblint.interp.domain.builtin_names import DATA_POINTER
from gblint.interp.domain.dtypes import dtype_family
from gblint.interp.evaluator.conditions import demand
from gblint.interp.evaluator.operators import fold, tensor_result, usable
from gblint.interp.models.python import random_numbers, sequence_comparison, type_slots, uncaught
from gblint.interp.models.torch import tensor_subclasses
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.summary_cache import is_described_by_contents
from gblint.project import symbols
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
from gblint.values.dispatch import HandlersByClass, HandlersByPair
from gblint.values.lattice import element, hint_of, is_text, join_all
from gblint.values.objects import Class, EnumMember, ExternalName, ExternalObject, Function, Instance

# A handler that returns None leaves the comparison to the next one.
_Handler = Callable[[Interpreter, Any, Any, Any, Frame, ast.AST], Value | None]
_Decision = Callable[[Any, Any], "bool | None"]
_ContainmentHandler = Callable[[Interpreter, Any, Value, Frame, ast.AST], "bool | None"]

_METHODS = {
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
    if symbols.asks_for_main(node):
        return BOOL  # the module may be run as a script
    left, compared = interp.eval(node.left, frame), node.left
    if _is_of_itself(node, left):
        return Const(isinstance(node.ops[0], (ast.Eq, ast.LtE, ast.GtE)))
    results: list[Value] = []
    for index, (op, comparator) in enumerate(zip(node.ops, node.comparators)):
        right = interp.eval(comparator, frame)
        result = reach.compared(op, left, right, interp.compare(op, left, right, frame, node), compared)
        if index < len(node.ops) - 1:
            demand(interp, result, node, frame, "compare-chain")
        results.append(result)
        if interp.truth(result) is False and isinstance(result, Const):
            return result
        left, compared = right, comparator
    if len(results) == 1:
        return results[0]
    decided = {interp.truth(r) for r in results}
    if decided == {True}:
        return results[-1]
    return join_all(results)


_REFLEXIVE = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def _is_of_itself(node: ast.Compare, left: Value) -> bool:
    """Return whether a comparison is that of an integer or a shape with itself: ``x.shape == x.shape``."""
    if len(node.ops) > 1 or not isinstance(node.ops[0], _REFLEXIVE):
        return False
    if not (isinstance(left, Scalar) and left.kind == "int" and left.origin != "random") and not (
        isinstance(left, Seq) and left.cls == "Size"
    ):
        return False
    place = access_path(node.left)
    return place is not None and place == access_path(node.comparators[0])


def compare(interp: Interpreter, op: ast.cmpop, left: Value, right: Value, frame: Frame, node: ast.AST) -> Value:
    """Evaluate one comparison."""
    if not isinstance(right, Const) and any(map(is_described_by_contents, members(left))):
        interp.summary_cache.on_identity()
    if isinstance(op, (ast.Is, ast.IsNot)):
        _check_storages(interp, "is", left, right, frame, node)
        same = _identical(left, right)
        return BOOL if same is None else Const(same == isinstance(op, ast.Is))
    if isinstance(op, (ast.In, ast.NotIn)):
        return _contains(interp, op, left, right, frame, node)
    equality = isinstance(op, (ast.Eq, ast.NotEq))
    if equality:
        _check_storages(interp, "eq", left, right, frame, node)
    left, right = _without_guesses(left), _without_guesses(right)
    lefts = list(members(left)) if equality else usable(left)
    rights = list(members(right)) if equality else usable(right)
    result = join_all(_compare(interp, op, a, b, frame, node) for a in lefts for b in rights)
    trace_builder.record_operator(frame, node, result)
    return result


def _without_guesses(value: Value) -> Value:
    """Return a value without its guessed tensors, if it may also be a string and something unknown: mixed data."""
    found = members(value)
    guessed = [each for each in found if isinstance(each, Tensor) and not each.proven]
    if not guessed or not any(map(is_text, found)) or not any(isinstance(each, Unknown) for each in found):
        return value
    return join_all(each for each in found if each not in guessed)


def _compare(interp: Interpreter, op: ast.cmpop, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value:
    """Return ``a op b`` for two values without alternatives."""
    for handler in _COMPARISONS.between(a, b):
        result = handler(interp, op, a, b, frame, node)
        if result is not None:
            return result
    return BOOL


_STORAGE = ExternalObject("torch.UntypedStorage")
_STORAGE_CAUSES = {"is": "failed-to-trace-builtin-operator", "eq": "missing-richcompare-impl-override"}


def _check_storages(interp: Interpreter, name: str, left: Value, right: Value, frame: Frame, node: ast.AST) -> None:
    """Report the comparison of two storages, or of the identity of two that are not one variable."""
    if left == _STORAGE == right and not (name == "is" and isinstance(node, ast.Compare) and _is_one_variable(node)):
        interp.emit(frame, node, "call", f"{_STORAGE.cls}.{name}", (_STORAGE_CAUSES[name],))


def _is_one_variable(node: ast.Compare) -> bool:
    return isinstance(node.left, ast.Name) and same_expression(node)


def _identical(left: Value, right: Value) -> bool | None:
    answers = {_decide(_IDENTITY, a, b) for a in members(left) for b in members(right)}
    return answers.pop() if len(answers) == 1 else None


def same_expression(node: ast.AST) -> bool:
    """Return whether a comparison is that of a pointer with itself: ``x.data_ptr() == x.data_ptr()``."""
    return isinstance(node, ast.Compare) and ast.dump(node.left) == ast.dump(node.comparators[0])


# -- comparisons by the classes of the operands ------------------------------------------------------------------------


def _constants(interp: Interpreter, op: ast.cmpop, a: Const, b: Const, frame: Frame, node: ast.AST) -> Value | None:
    uncaught.check_operands(interp, op, a, b, frame, node)
    return fold(op, a, b)


def _own_method(interp: Interpreter, op: ast.cmpop, a: Instance, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    """Call ``a.__lt__(b)``; ``a != b`` without a method of its own is the opposite of ``a.__eq__(b)``."""
    method = interp.class_attribute(a.cls, _METHODS[type(op)]) if isinstance(a.cls, Class) else None
    if method is None and isinstance(op, ast.NotEq) and isinstance(a.cls, Class):
        method = interp.class_attribute(a.cls, "__eq__")
        answer = interp.truth(interp.call(method, Args((a, b)), frame, node)) if isinstance(method, Function) else None
        return None if answer is None else Const(not answer)
    return interp.call(method, Args((a, b)), frame, node) if isinstance(method, Function) else None


def _subclasses(interp: Interpreter, op: ast.cmpop, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    """``a < b`` for an instance of a subclass of ``torch.Tensor``."""
    left, right = tensor_subclasses.plain(interp, a), tensor_subclasses.plain(interp, b)
    if left is a and right is b:
        return None
    return tensor_subclasses.wrapped(interp, _compare(interp, op, left, right, frame, node), a, b)


def _tensors(interp: Interpreter, op: ast.cmpop, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    tensor, other = (a, b) if isinstance(a, Tensor) else (b, a)
    differs = other == NONE or is_text(other) or _is_enum_member(other)
    if isinstance(tensor, Tensor) and not tensor.ndarray:
        differs = differs or isinstance(other, (Seq, Mapping))
    if isinstance(op, (ast.Eq, ast.NotEq)) and differs:
        return Const(isinstance(op, ast.NotEq))
    tensor_layouts.touch(interp, a, frame, node)
    tensor_layouts.touch(interp, b, frame, node)
    result = tensor_result(op, a, b)
    return Tensor(result.rank, "bool", result.proven, False, result.ndarray)


def _is_enum_member(value: Value) -> bool:
    """Return whether a value is a member of an enum: for Dynamo a tensor never equals it."""
    return isinstance(value, Const) and isinstance(value.value, EnumMember)


def _sequences(interp: Interpreter, op: ast.cmpop, a: Seq, b: Seq, frame: Frame, node: ast.AST) -> Value | None:
    if sequence_comparison.of_sequences(interp, op, a, b, frame, node):
        return BOOL
    if isinstance(op, (ast.Eq, ast.NotEq)):
        return None
    swapped = isinstance(op, (ast.Gt, ast.LtE))
    less = sequence_comparison.is_less(b, a) if swapped else sequence_comparison.is_less(a, b)
    return None if less is None else Const(less == isinstance(op, (ast.Lt, ast.Gt)))


def _data_pointers(interp: Interpreter, op: ast.cmpop, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    if ExternalObject(DATA_POINTER) not in (a, b) or same_expression(node):
        return None
    interp.emit(frame, node, "tensor-method", "data_ptr", ("data-pointer-comparison",))
    return BOOL


def _refused(interp: Interpreter, op: ast.cmpop, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    if not type_slots.kind_of(a) and not type_slots.kind_of(b):
        return None
    return BOOL if not same_expression(node) and type_slots.compared(interp, a, b, frame, node) else None


def _equality(interp: Interpreter, op: ast.cmpop, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    """``a == b`` and ``a != b``, where the kinds of the values decide it."""
    equal = _decide(_EQUALITY, a, b) if isinstance(op, (ast.Eq, ast.NotEq)) else None
    return None if equal is None else Const(equal == isinstance(op, ast.Eq))


def _unread_numbers(
    interp: Interpreter, op: ast.cmpop, a: Value, b: Value, frame: Frame, node: ast.AST
) -> Value | None:
    """Compare numbers that depend on the data of a tensor, or that are drawn at random."""
    origins = [v.origin for v in (a, b) if isinstance(v, Scalar)]
    if "data" in origins:
        return Scalar("bool", "data")
    return Scalar("bool", "random") if "random" in origins else None


def _unknowns(interp: Interpreter, op: ast.cmpop, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    if "tensor" in (hint_of(a), hint_of(b)):
        return Unknown("tensor")
    return BOOL if is_text(a) or is_text(b) else UNKNOWN


# Dynamo: ``generic_richcompare`` (torch/_dynamo/variables/object_protocol.py) and ``richcompare_impl`` of each class of
# variables.
_COMPARISONS: Final[HandlersByPair[_Handler]] = HandlersByPair(
    (Const, Const, _constants),
    (Instance, Value, _own_method),
    (Instance, Value, _subclasses),
    (Value, Instance, _subclasses),
    (Tensor, Value, _tensors),
    (Value, Tensor, _tensors),
    (Seq, Seq, _sequences),
    (ExternalObject, Value, _data_pointers),
    (Value, ExternalObject, _data_pointers),
    (Value, Value, _refused),
    (Value, Value, _equality),
    (Scalar, Value, _unread_numbers),
    (Value, Scalar, _unread_numbers),
    (Unknown, Value, _unknowns),
    (Value, Unknown, _unknowns),
)


# -- ``is`` and ``==`` where the classes of the operands decide --------------------------------------------------------


def _decide(table: HandlersByPair[_Decision], a: Value, b: Value) -> bool | None:
    for handler in table.between(a, b):
        answer = handler(a, b)
        if answer is not None:
            return answer
    return None


def _same(a: Value, b: Value) -> bool | None:
    return a == b


def _same_object(a: Instance, b: Instance) -> bool | None:
    return True if a is b else None


def _is_constant(a: Const, b: Value) -> bool | None:
    """``a is b`` for None, True or False, and for two members of enums."""
    if isinstance(b, Const) and isinstance(a.value, EnumMember) and isinstance(b.value, EnumMember):
        return a == b
    if a.value is not None and not isinstance(a.value, bool):
        return None
    if isinstance(b, Const):
        return a == b
    maybe = isinstance(b, Unknown) or (a.value is not None and isinstance(b, Scalar) and b.kind == "bool")
    return None if maybe else False


def _constant_is(a: Value, b: Const) -> bool | None:
    return _is_constant(b, a)


_IDENTITY: Final[HandlersByPair[_Decision]] = HandlersByPair(
    (Const, Value, _is_constant),
    (Value, Const, _constant_is),
    ((Class, Function), (Class, Function), _same),
    (ExternalName, ExternalName, _same),
    (Instance, Instance, _same_object),
)


def _equal_names(a: ExternalName, b: ExternalName) -> bool | None:
    return a == b if a.name.rpartition(".")[0] == b.name.rpartition(".")[0] else None


def _equal_dtypes(dtype: ExternalObject, constant: ExternalName) -> bool | None:
    base, _, family = dtype.cls.partition(":")
    if base != "torch.dtype" or not family:
        return None
    other = dtype_family(constant.name)
    if other is None:
        return None
    if other != family:
        return False
    return True if family in ("bool", "uint8") else None


def _equal_to_dtype(a: ExternalName, b: ExternalObject) -> bool | None:
    return _equal_dtypes(b, a)


def _equal_sequences(a: Seq, b: Seq) -> bool | None:
    if a.items is None or b.items is None:
        return None
    known = all(isinstance(v, Const) for v in (*a.items, *b.items))
    if {a.cls, b.cls} <= {"set", "frozenset"}:
        return set(a.items) == set(b.items) if known else None
    if len(a.items) != len(b.items):
        return False
    return a.items == b.items if known else None


def _equal_to_constant(a: Value, b: Const) -> bool | None:
    """Return False for None or a string beside a value of another type."""
    if b.value is None:
        return False if isinstance(a, (Scalar, Seq, Mapping, Instance, Function, Class, ExternalObject)) else None
    if isinstance(b.value, str):
        other = isinstance(a, (Seq, Mapping, Function, Class)) or (isinstance(a, Scalar) and a.kind != "str")
        return False if other else None
    return None


def _constant_equal(a: Const, b: Value) -> bool | None:
    return _equal_to_constant(b, a)


_EQUALITY: Final[HandlersByPair[_Decision]] = HandlersByPair(
    ((Class, Function), (Class, Function), _same),
    (ExternalName, ExternalName, _equal_names),
    (ExternalObject, ExternalName, _equal_dtypes),
    (ExternalName, ExternalObject, _equal_to_dtype),
    (Seq, Seq, _equal_sequences),
    (Const, Value, _constant_equal),
    (Value, Const, _equal_to_constant),
)


# -- ``in`` ------------------------------------------------------------------------------------------------------------


def _contains(interp: Interpreter, op: ast.cmpop, left: Value, right: Value, frame: Frame, node: ast.AST) -> Value:
    if isinstance(right, Tensor) and not right.proven and all(_is_str(each) for each in members(left)):
        return BOOL  # not proven to be a tensor: a dictionary, since a tensor holds no strings
    if isinstance(op, ast.In) and frame.mode.keeps_scalars and isinstance(right, Tensor):
        return Scalar("bool", "data")  # a symbol, of which only the opposite cannot be taken
    answers: set[bool | None] = set()
    containers: Sequence[Value] = members(right)
    if all(_is_str(each) for each in members(left)) and not isinstance(right, Tensor):
        # A tensor holds no strings: of a tensor and a dictionary, it is the dictionary.
        containers = [each for each in containers if not isinstance(each, Tensor)] or containers
    for container in containers:
        type_slots.refused(interp, "contains", container, frame, node)
        type_slots.sought(interp, left, container, frame, node)
        answers.add(_CONTAINMENT[type(container)](interp, container, left, frame, node))
    answer = answers.pop() if len(answers) == 1 else None
    return BOOL if answer is None else Const(answer == isinstance(op, ast.In))


def _is_str(value: Value) -> bool:
    return (
        isinstance(value.value, str) if isinstance(value, Const) else isinstance(value, Scalar) and value.kind == "str"
    )


def _in_instance(interp: Interpreter, container: Instance, left: Value, frame: Frame, node: ast.AST) -> bool | None:
    cls = container.cls
    method = interp.class_attribute(cls, "__contains__") if isinstance(cls, Class) else None
    if isinstance(method, Function):
        return interp.truth(interp.call(method, Args((container, left)), frame, node))
    items = container.attrs.get("__items__")
    if isinstance(items, Mapping):  # a ModuleDict or a ParameterDict
        return _in_mapping(interp, items, left, frame, node)
    return _in_other(interp, container, left, frame, node)


def _in_tensor(interp: Interpreter, container: Tensor, left: Value, frame: Frame, node: ast.AST) -> bool | None:
    interp.emit(frame, node, "data-dependent-branch", "in", ("data-dependent-branching",), about=container)
    return None


def _in_sequence(interp: Interpreter, container: Seq, left: Value, frame: Frame, node: ast.AST) -> bool | None:
    found = members(left)
    if not _check_drawn(interp, left, frame, node) and any(isinstance(v, Scalar) and v.origin == "data" for v in found):
        interp.emit(frame, node, "data-dependent-branch", "in", ("data-dependent-branching",), about=left)
    if container.cls != "set" and any(isinstance(v, Tensor) for v in found):
        if any(isinstance(v, (Tensor, Scalar, Const)) and v != NONE for v in members(element(container))):
            interp.emit(frame, node, "data-dependent-branch", "in", ("data-dependent-branching",), about=left)
    if not isinstance(left, Const):
        return False if container in (Seq("list"), Seq("tuple")) else None
    if container.items is None:
        return None
    if left in container.items:
        return True
    return False if all(isinstance(v, Const) for v in container.items) else None


def _in_mapping(interp: Interpreter, container: Mapping, left: Value, frame: Frame, node: ast.AST) -> bool | None:
    _check_drawn(interp, left, frame, node)
    if not isinstance(left, Const):
        return False if container == Mapping() else None
    complete = container.rest is None or container.rest == UNPASSED
    return container.get(left) is not None if complete and left not in container.optional else None


def _in_constant(interp: Interpreter, container: Const, left: Value, frame: Frame, node: ast.AST) -> bool | None:
    _check_drawn(interp, left, frame, node)
    if isinstance(container.value, str) and isinstance(left, Const) and isinstance(left.value, str):
        return left.value in container.value
    return None


def _in_other(interp: Interpreter, container: Value, left: Value, frame: Frame, node: ast.AST) -> bool | None:
    _check_drawn(interp, left, frame, node)
    return None


def _check_drawn(interp: Interpreter, left: Value, frame: Frame, node: ast.AST) -> bool:
    """Return whether a random number is looked for, which is reported."""
    if not random_numbers.is_random_number(left):
        return False
    random_numbers.report(interp, "in", ("builtin-operator-on-tensors",), frame, node)
    return True


# Dynamo: ``generic_contains`` (torch/_dynamo/variables/object_protocol.py) and ``sq_contains`` of each class of
# variables.
_CONTAINMENT: Final[HandlersByClass[_ContainmentHandler]] = HandlersByClass(
    {
        Instance: _in_instance,
        Tensor: _in_tensor,
        Seq: _in_sequence,
        Mapping: _in_mapping,
        Const: _in_constant,
        Value: _in_other,
    }
)
