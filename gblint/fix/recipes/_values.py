"""Predicates on the abstract values of expressions."""

from __future__ import annotations

from typing import cast

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext
from gblint.values.base import Const, Scalar, Tensor, Value, members
from gblint.values.containers import Seq


def is_tensor(value: Value | None) -> bool:
    """Return whether a value is certainly a tensor and no NumPy array."""
    return value is not None and all(isinstance(each, Tensor) and not each.ndarray for each in members(value))


def computes_tensor(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is certainly a tensor, and computed from one if operators compute it.

    Where a variable is a number in one call and an array in the next, a comparison may give a bool.
    """
    if not is_tensor(ctx.value(node)):
        return False
    if isinstance(node, cst.UnaryOperation):
        return computes_tensor(ctx, node.expression)
    if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation)):
        return computes_tensor(ctx, node.left) or computes_tensor(ctx, node.right)
    if isinstance(node, cst.Comparison):
        return any(computes_tensor(ctx, side) for side in (node.left, *(c.comparator for c in node.comparisons)))
    return True


def may_require_gradient(value: Value | None) -> bool:
    """Return whether an alternative of a value may be a tensor that requires a gradient."""
    tensors = [] if value is None else [each for each in members(value) if isinstance(each, Tensor)]
    return any(each.requires_grad is not False and each.dtype in (None, "float", "complex") for each in tensors)


def is_bool_tensor(value: Value | None) -> bool:
    """Return whether a value is certainly a tensor of booleans."""
    return is_tensor(value) and all(isinstance(v, Tensor) and v.dtype == "bool" for v in members(cast(Value, value)))


def is_number(value: Value | None) -> bool:
    """Return whether a value is certainly a Python number that does not come from tensor data."""
    return value is not None and all(
        (isinstance(v, Scalar) and v.kind in ("int", "float", "number", "bool") and v.origin in ("python", "size"))
        or (isinstance(v, Const) and type(v.value) in (int, float, bool))
        for v in members(value)
    )


def is_int(value: Value | None) -> bool:
    """Return whether a value is certainly a Python integer that does not come from tensor data."""
    return is_number(value) and all(
        type(v.value) is int if isinstance(v, Const) else isinstance(v, Scalar) and v.kind == "int"
        for v in members(cast(Value, value))
    )


def is_number_sequence(value: Value | None) -> bool:
    """Return whether a value is certainly a list or tuple of Python numbers."""
    return value is not None and all(
        isinstance(each, Seq)
        and each.cls != "set"
        and all(map(is_number, [each.rest] if each.items is None else each.items))
        for each in members(value)
    )


def is_size(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` reads the length or the number of elements of a variable that is a tensor."""
    names = (n for n in match.findall(node, match.Name()) if isinstance(n, cst.Name) and is_tensor(ctx.value(n)))
    forms = ("len({0})", "{0}.numel()", "{0}.size(0)", "{0}.shape[0]")
    code = ctx.code(node)
    return any(code == form.format(name.value) for name in names for form in forms)


def may_be_tensor(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` may be anything but a constant or a number, or assigns a variable."""
    value = ctx.value(node)
    if isinstance(node, cst.NamedExpr) or value is None:
        return True
    return not all(isinstance(each, (Const, Scalar)) for each in members(value))


def is_zero_dim(value: Value | None) -> bool:
    """Return whether a value is certainly a tensor without dimensions."""
    return is_tensor(value) and all(isinstance(v, Tensor) and v.rank == 0 for v in members(value)) if value else False


def is_vector(value: Value | None) -> bool:
    """Return whether a value is certainly a tensor with one dimension."""
    return is_tensor(value) and all(isinstance(v, Tensor) and v.rank == 1 for v in members(cast(Value, value)))
