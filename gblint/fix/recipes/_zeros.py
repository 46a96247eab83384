"""The value of an elementwise expression where its variables are zero."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

import libcst as cst

from gblint.fix.context import FixContext
from gblint.fix.recipes._values import is_int
from gblint.values.base import Const
from gblint.values.objects import ExternalName

# Elementwise functions with a finite derivative where they are defined; 1 / 0, log(0) and the like raise.
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    **dict.fromkeys(("float", "double", "half", "bfloat16", "long", "int", "detach", "clone", "contiguous"), float),
    **dict.fromkeys(("abs", "relu", "neg", "sin", "tanh", "expm1", "log1p", "square", "sign"), lambda _: 0.0),
    "exp": math.exp,
    "log": math.log,
    "cos": math.cos,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
}
_AT_ZERO_ONLY = ("abs", "relu", "neg", "sin", "tanh", "expm1", "log1p", "square", "sign")


def value_at_zero(ctx: FixContext, node: cst.BaseExpression, zeros: Collection[str]) -> float | None:
    """Return the value of ``node`` where the variables ``zeros`` are zero; None if it is not known to be finite."""
    try:
        return _value(ctx, node, zeros)
    except (ArithmeticError, ValueError):
        return None


def _value(ctx: FixContext, node: cst.BaseExpression, zeros: Collection[str]) -> float | None:
    if isinstance(node, cst.Name) and node.value in zeros:
        return 0.0
    known = ctx.value(node)
    if isinstance(known, Const):
        return float(known.value) if type(known.value) in (int, float) else None  # type: ignore[arg-type]
    if is_int(known):
        return math.nan  # unknown, but finite
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        value = _value(ctx, node.expression, zeros)
        return None if value is None else -value
    if isinstance(node, cst.BinaryOperation):
        left, right = _value(ctx, node.left, zeros), _value(ctx, node.right, zeros)
        return None if left is None or right is None else _operated(node.operator, left, right)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    name, function = node.func.attr.value, ctx.value(node.func)
    arguments = [arg.value for arg in node.args if not arg.star and arg.keyword is None]
    if len(arguments) < len(node.args) or name not in _FUNCTIONS:
        return None
    if not isinstance(function, ExternalName):
        arguments = [node.func.value, *arguments]
    elif not function.name.startswith("torch."):
        return None
    value = _value(ctx, arguments[0], zeros) if len(arguments) == 1 else None
    return None if value is None or (value and name in _AT_ZERO_ONLY) else _FUNCTIONS[name](value)


def _operated(operator: cst.BaseBinaryOp, left: float, right: float) -> float | None:
    if isinstance(operator, cst.Add):
        return left + right
    if isinstance(operator, cst.Subtract):
        return left - right
    if isinstance(operator, cst.Multiply):
        return left * right if left and right else 0.0
    if isinstance(operator, cst.Divide):
        return left / right
    if isinstance(operator, cst.Power) and right >= 1 and right.is_integer():
        return float(left**right)
    return None
