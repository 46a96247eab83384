"""Unary and binary operators."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable
from typing import Any, Final

from gblint.interp.domain import dynamo_constants, reach, tensor_layouts
from gblint.interp.domain.builtin_names import DATA_POINTER
from gblint.interp.domain.containers import SET_OPERATIONS, combined_sets, merge_mappings
from gblint.interp.domain.dtypes import number_kind, promote
from gblint.interp.domain.tensor_text import combined, formatted
from gblint.interp.evaluator import iteration, object_operators
from gblint.interp.evaluator.conditions import demand
from gblint.interp.models.python import (
    configuration_files,
    divergence,
    opaque_objects,
    random_numbers,
    type_slots,
    type_tests,
    uncaught,
)
from gblint.interp.models.torch import autograd_calls, operand_checks, tensor_subclasses
from gblint.interp.state import trace_builder
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values import folding
from gblint.values.base import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    STR,
    UNKNOWN,
    Const,
    Scalar,
    Tensor,
    Unknown,
    Value,
    members,
)
from gblint.values.containers import Mapping, Seq
from gblint.values.dispatch import HandlersByClass, HandlersByPair
from gblint.values.lattice import concatenated, element, hint_of, is_text, join, join_all
from gblint.values.objects import Class, ExternalName, ExternalObject, FileObject, Instance

# A handler that returns None leaves the operation to the next one.
_BinaryHandler = Callable[[Interpreter, Any, Any, Any, Frame, ast.AST], Value | None]
_UnaryHandler = Callable[[Interpreter, ast.unaryop, Any, Frame, ast.AST], Value]

_FOLD: dict[type, Callable[[object, object], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,  # type: ignore[dict-item]
    ast.LtE: operator.le,  # type: ignore[dict-item]
    ast.Gt: operator.gt,  # type: ignore[dict-item]
    ast.GtE: operator.ge,  # type: ignore[dict-item]
}


def binary_expression(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """Evaluate a binary expression; a long chain of operators is evaluated from the left without recursion."""
    assert isinstance(node, ast.BinOp)
    chain: list[ast.BinOp] = []
    left_node: ast.expr = node
    while isinstance(left_node, ast.BinOp):
        chain.append(left_node)
        left_node = left_node.left
    value = interp.eval(left_node, frame)
    for link in reversed(chain):
        value = interp.binary(link.op, value, interp.eval(link.right, frame), frame, link)
        if interp.observer is not None:
            interp.observer.on_value(link, value, frame)
    return value


def binary(
    interp: Interpreter,
    op: ast.operator,
    left: Value,
    right: Value,
    frame: Frame,
    node: ast.AST,
    in_place: bool = False,
) -> Value:
    """Return ``left op right`` over all pairs of alternatives; None among them is left out, as it would raise."""
    if (
        isinstance(op, ast.BitOr)
        and (left == type_tests.UNION_TYPE or _is_type(left))
        and (right == NONE or _is_type(right))
    ):
        return type_tests.UNION_TYPE
    lefts, rights = usable(left), usable(right)
    result = folding.bounded(join_all(_binary(interp, op, a, b, frame, node, in_place) for a in lefts for b in rights))
    trace_builder.record_operator(frame, node, result)
    return result


def usable(value: Value) -> list[Value]:
    """Return the alternatives of an operand, without None, with which an operator would raise."""
    found = [v for v in members(value) if v != NONE]
    return found or [UNKNOWN]


def _binary(
    interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST, in_place: bool
) -> Value:
    """Return ``a op b`` for two values without alternatives."""
    if isinstance(b, Const) and not b.value:
        uncaught.check_division(interp, op, a, b, frame, node)
    if isinstance(a, Const) and isinstance(b, Const):
        uncaught.check_operands(interp, op, a, b, frame, node)
        return fold(op, a, b)
    refused = type_slots.binary(interp, op, a, b, frame, node, in_place)
    if refused is not None:
        return refused
    if in_place and frame.mode.tracing and isinstance(a, Instance):  # for the search ``a + b`` is as good
        updated = object_operators.in_place(interp, op, a, b, frame, node)
        if updated is not None:
            return updated
    for handler in _BINARY.between(a, b):
        result = handler(interp, op, a, b, frame, node)
        if result is not None:
            return result
    return UNKNOWN


def _is_type(value: Value) -> bool:
    """Return whether ``value`` is a class, as in ``int | None``."""
    if isinstance(value, ExternalName) and value.name.startswith("builtins."):
        return isinstance(getattr(builtins, value.name[9:], None), type)
    return isinstance(value, Class)


def _shallow(value: Value) -> list[Value]:
    found = list(members(value))
    if isinstance(value, Seq) and value.items is not None:
        found += value.items
    return found


def fold(op: ast.AST, a: Const, b: Const) -> Value:
    """Fold a constant operation, unless its result could be huge."""
    x, y = a.value, b.value
    if isinstance(op, ast.Mod) and isinstance(x, (str, bytes)):
        return formatted(x, b)
    if isinstance(op, ast.Mult) and not (isinstance(x, (int, float)) and isinstance(y, (int, float))):
        return STR if isinstance(x, str) or isinstance(y, str) else UNKNOWN
    if isinstance(op, ast.Pow):
        small = isinstance(x, (int, float)) and isinstance(y, (int, float)) and abs(x) < 1e4 and abs(y) < 32
        function: Callable[[object, object], object] | None = operator.pow if small else None
    elif isinstance(op, (ast.LShift, ast.RShift)):
        small = isinstance(x, int) and isinstance(y, int) and 0 <= y < 64 and abs(x) < 2**64
        shift = operator.lshift if isinstance(op, ast.LShift) else operator.rshift
        function = shift if small else None
    else:
        function = _FOLD.get(type(op))
    if function is None:
        return NUMBER
    try:
        # A comparison takes no more memory than its operands.
        result = Const(function(x, y)) if isinstance(op, ast.cmpop) else folding.fold(function, x, y)
    except Exception:  # any exception here is an error of the linted program
        return UNKNOWN
    if result is not None:
        return result
    if isinstance(x, str):
        return STR
    return INT if isinstance(x, int) and isinstance(y, int) else UNKNOWN


def tensor_result(op: ast.AST, a: Value, b: Value) -> Tensor:
    """Return the tensor that an operator computes from two operands, of which at least one is a tensor."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        rank = None if a.rank is None or b.rank is None else max(a.rank, b.rank)
        proven, ndarray = a.proven or b.proven, a.ndarray and b.ndarray
        dtype = promote(a.dtype, b.dtype) if a.dtype and b.dtype else None
    else:
        tensor, other = (a, b) if isinstance(a, Tensor) else (b, a)
        assert isinstance(tensor, Tensor)
        rank, proven, ndarray = tensor.rank, tensor.proven, tensor.ndarray
        if isinstance(other, (Unknown, ExternalObject, ExternalName, Instance, Seq)):
            rank = None
        kind = number_kind(other)
        dtype = tensor.dtype
        if kind == "number" or kind is None:
            dtype = dtype if dtype in ("float", "complex") else None
        elif dtype is not None:
            dtype = promote(dtype, kind)
    if isinstance(op, ast.Div) and dtype in ("int", "bool", "uint8"):
        dtype = "float"
    if isinstance(op, ast.MatMult):
        rank = None
    constant = all(v.constant if isinstance(v, Tensor) else number_kind(v) is not None for v in (a, b))
    unbacked = any(isinstance(v, Tensor) and v.unbacked for v in (a, b))
    kinds = ("int", "float") if ndarray else ("int",)
    narrow = dtype in kinds and all(v.unguarded if isinstance(v, Tensor) else number_kind(v) in kinds for v in (a, b))
    return Tensor(rank, dtype, proven, False, ndarray, constant=constant, unbacked=unbacked, unguarded=narrow)


# -- binary operators by the classes of the operands -------------------------------------------------------------------


def _format(
    interp: Interpreter, op: ast.operator, a: Const | Scalar, b: Value, frame: Frame, node: ast.AST
) -> Value | None:
    """``text % values``."""
    if not isinstance(op, ast.Mod) or not is_text(a):
        return None
    found = next((v for v in _shallow(b) if isinstance(v, Tensor)), None)
    if found is not None:
        about = b if isinstance(b, Tensor) else found
        interp.emit(frame, node, "tensor-to-python", "format", ("torch-op-returned-non-tensor",), about=about)
    elif any(dynamo_constants.container_in(v) is not None for v in _shallow(b)[1:]):
        interp.emit(frame, node, "operation", "container-text", ("observed-exception",))
    elif frame.mode.tracing and opaque_objects.is_formatted_later(b):
        interp.emit(frame, node, "call", "builtins.format", ("observed-exception",))
    return formatted(a.value, b) if isinstance(a, Const) else STR


def _subclasses(interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    """``a + b`` for an instance of a subclass of ``torch.Tensor``."""
    left, right = tensor_subclasses.plain(interp, a), tensor_subclasses.plain(interp, b)
    if left is a and right is b:
        return None
    return tensor_subclasses.wrapped(interp, interp.binary(op, left, right, frame, node), a, b)


def _tensors(interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    if _counts(op, a, b):
        return INT
    divergence.check_division(interp, op, a, b, frame, node)
    tensor_layouts.touch(interp, a, frame, node)
    tensor_layouts.touch(interp, b, frame, node)
    operand_checks.check_operand(interp, a, b, frame, node)
    if (_is_numpy_number(a) and isinstance(b, Unknown)) or (_is_numpy_number(b) and isinstance(a, Unknown)):
        return Tensor(proven=False)
    return autograd_calls.carry(tensor_result(op, a, b), (a, b), frame)


def _counts(op: ast.operator, a: Value, b: Value) -> bool:
    """Return whether integers are divided where ``b`` is a guessed tensor: ``step % every``, ``size // length``."""
    is_whole = isinstance(op, (ast.Mod, ast.FloorDiv)) and number_kind(a) == "int"
    return is_whole and isinstance(b, Tensor) and not b.proven


def _is_numpy_number(value: Value) -> bool:
    """Return whether ``value`` is or may be a number of NumPy such as ``np.sqrt(n)``; times a tensor it is a tensor."""
    return isinstance(value, Tensor) and value.ndarray and value.rank in (0, None)


def _data_pointers(
    interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST
) -> Value | None:
    if ExternalObject(DATA_POINTER) not in (a, b):
        return None
    interp.emit(frame, node, "tensor-method", "data_ptr", ("observed-exception",))
    return INT


def _unknowns(interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    """Compute with an unknown value: ``x[1:] - x[:-1]`` shows arrays, which are mostly tensors in traced code."""
    if frame.mode.tracing and isinstance(node, ast.BinOp) and isinstance(op, ast.Sub):
        if any(
            isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Slice) for each in (node.left, node.right)
        ):
            return Tensor(proven=False)
    return Unknown(hint_of(a) or hint_of(b))


def _random_numbers(
    interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST
) -> Value | None:
    if not random_numbers.is_random_number(a) and not random_numbers.is_random_number(b):
        return None
    return random_numbers.binary(interp, a, b, frame, node)


def _sequence(interp: Interpreter, op: ast.operator, a: Seq, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    if isinstance(op, ast.Add):
        items = interp.items_of(b, frame, node)
        if a.items is not None and items is not None and len(a.items) + len(items) <= 256:
            return Seq(a.cls, a.items + items)
        return concatenated(a, b, interp.item_of(b, frame, node))
    if isinstance(op, ast.Mult):
        if a.items is not None and isinstance(b, Const) and isinstance(b.value, int) and len(a.items) * b.value <= 64:
            return Seq(a.cls, a.items * b.value)
        return Seq(a.cls, None, element(a))
    if type(op) in SET_OPERATIONS:
        known = combined_sets(SET_OPERATIONS[type(op)], a, b) if isinstance(b, Seq) else None
        return known or Seq(a.cls, None, join(element(a), iteration.any_item(b)))
    return UNKNOWN


def _repeated_sequence(
    interp: Interpreter, op: ast.operator, a: Value, b: Seq, frame: Frame, node: ast.AST
) -> Value | None:
    """``3 * items``."""
    return _sequence(interp, op, b, a, frame, node) if isinstance(op, ast.Mult) else None


def _mapping(interp: Interpreter, op: ast.operator, a: Mapping, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    return merge_mappings(a, b) if isinstance(op, ast.BitOr) else None


def _text(
    interp: Interpreter, op: ast.operator, a: Const | Scalar, b: Value, frame: Frame, node: ast.AST
) -> Value | None:
    if isinstance(op, ast.Add) and is_text(a) and is_text(b):
        return combined((a, b), lambda chosen: "".join(map(str, chosen))) or STR
    return STR if is_text(a) and isinstance(op, (ast.Add, ast.Mult)) else None


def _numbers(interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST) -> Value | None:
    if number_kind(a) is None or number_kind(b) is None:
        return None
    return _number(op, a, b)


def _number(op: ast.operator, a: Value, b: Value) -> Value:
    kinds = {number_kind(a), number_kind(b)}
    origins = {v.origin for v in (a, b) if isinstance(v, Scalar)}
    origin = "data" if "data" in origins else "size" if "size" in origins else "python"
    if "number" in kinds or isinstance(op, ast.Pow):
        base = NUMBER if kinds - {"int", "bool"} else INT
        return base if origin != "data" else Scalar(base.kind, "data")
    settled = Const(isinstance(op, ast.BitOr))
    if kinds == {"bool"} and isinstance(op, (ast.BitAnd, ast.BitOr)) and settled in (a, b):
        return settled
    if "complex" in kinds:
        return Scalar("complex")
    if "float" in kinds or isinstance(op, ast.Div):
        return FLOAT if origin != "data" else Scalar("float", "data")
    if kinds == {"bool"} and isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
        return BOOL
    return Scalar("int", origin)  # type: ignore[arg-type]


def _joined_path(
    interp: Interpreter, op: ast.operator, a: FileObject, b: Value, frame: Frame, node: ast.AST
) -> Value | None:
    return configuration_files.joined(a, b) if isinstance(op, ast.Div) and not frame.mode.tracing else None


# Dynamo: ``BuiltinVariable._binop_handlers`` (torch/_dynamo/variables/builtin.py), and ``nb_add_impl`` and its kin of
# each class of variables.
_PLAIN: Final = (Const, Scalar)
_BINARY: Final[HandlersByPair[_BinaryHandler]] = HandlersByPair(
    (_PLAIN, Value, _format),
    (Instance, Value, object_operators.own_method),
    (Value, Instance, object_operators.reflected_method),
    (Instance, Value, _subclasses),
    (Value, Instance, _subclasses),
    (Tensor, Value, _tensors),
    (Value, Tensor, _tensors),
    (FileObject, Value, _joined_path),
    (ExternalObject, Value, _data_pointers),
    (Value, ExternalObject, _data_pointers),
    (Unknown, Value, _unknowns),
    (Value, Unknown, _unknowns),
    (Scalar, Value, _random_numbers),
    (Value, Scalar, _random_numbers),
    (Seq, Value, _sequence),
    (Value, Seq, _repeated_sequence),
    (Mapping, Value, _mapping),
    (_PLAIN, Value, _text),
    (_PLAIN, _PLAIN, _numbers),
)


# -- unary operators ---------------------------------------------------------------------------------------------------


def unary_expression(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """Evaluate ``not a``, ``-a``, ``~a``."""
    assert isinstance(node, ast.UnaryOp)
    value = interp.eval(node.operand, frame)
    if isinstance(node.op, ast.Not):
        demand(interp, value, node, frame, "not")
        if any(isinstance(v, Seq) and v.cls == "tuple" and dynamo_constants.is_missing(v) for v in members(value)):
            interp.emit(frame, node, "sequence-comparison", "not", ("failed-to-trace-builtin-operator",))
        decided = interp.truth(value)
        return reach.opposite(value) if decided is None else Const(not decided)
    result = join_all(_unary(interp, node.op, v, frame, node) for v in usable(value))
    trace_builder.record_operator(frame, node, result)
    return result


def _unary(interp: Interpreter, op: ast.unaryop, value: Value, frame: Frame, node: ast.AST) -> Value:
    """Return ``op value`` for a value without alternatives (Dynamo: ``nb_negative_impl``, ``nb_positive_impl``)."""
    if not isinstance(op, ast.Invert):
        type_slots.refused(interp, "negative" if isinstance(op, ast.USub) else "positive", value, frame, node)
    return _UNARY[type(value)](interp, op, value, frame, node)


def _of_constant(interp: Interpreter, op: ast.unaryop, value: Const, frame: Frame, node: ast.AST) -> Value:
    try:
        if isinstance(op, ast.USub):
            return Const(-value.value)  # type: ignore[operator]
        if isinstance(op, ast.UAdd):
            return Const(+value.value)  # type: ignore[operator]
        return Const(~value.value)  # type: ignore[operator]
    except TypeError:
        return UNKNOWN


def _of_tensor(interp: Interpreter, op: ast.unaryop, value: Tensor, frame: Frame, node: ast.AST) -> Value:
    tensor_layouts.touch(interp, value, frame, node)
    return Tensor(value.rank, value.dtype, value.proven, False, value.ndarray, constant=value.constant)


def _of_scalar(interp: Interpreter, op: ast.unaryop, value: Scalar, frame: Frame, node: ast.AST) -> Value:
    if value.origin == "random":
        return random_numbers.binary(interp, value, value, frame, node)
    return INT if value.kind == "bool" else value


def _of_instance(interp: Interpreter, op: ast.unaryop, value: Instance, frame: Frame, node: ast.AST) -> Value:
    result = object_operators.unary(interp, op, value, frame, node)
    if result is not None:
        return result
    tensor = tensor_subclasses.plain(interp, value)
    if not isinstance(tensor, Tensor):
        return UNKNOWN
    return tensor_subclasses.wrapped(interp, _of_tensor(interp, op, tensor, frame, node), value)


def _of_unknown(interp: Interpreter, op: ast.unaryop, value: Unknown, frame: Frame, node: ast.AST) -> Value:
    return value


def _of_other(interp: Interpreter, op: ast.unaryop, value: Value, frame: Frame, node: ast.AST) -> Value:
    return UNKNOWN


_UNARY: Final[HandlersByClass[_UnaryHandler]] = HandlersByClass(
    {
        Const: _of_constant,
        Tensor: _of_tensor,
        Scalar: _of_scalar,
        Instance: _of_instance,
        Unknown: _of_unknown,
        Value: _of_other,
    }
)
