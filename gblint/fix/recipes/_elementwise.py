"""Elementwise code on the elements that a mask selects, as the same code on all elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import libcst as cst

from gblint.fix.context import FixContext
from gblint.fix.recipes._build import as_primary, called_name
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_number, is_zero_dim, may_require_gradient
from gblint.runtime.lazy_dataclasses import dataclass, replace
from gblint.values.base import Const

# Functions whose gradient is zero where that of their result is, whatever the element is.
LINEAR = frozenset("bfloat16 clone contiguous detach double float half neg negative relu".split())
_DTYPES = ("to", "type")
_ANY = frozenset("abs cos erf exp expm1 sigmoid sin square tanh".split())
_POSITIVE = frozenset("log log10 log2 rsqrt sqrt reciprocal".split())
_AT: Mapping[str, Callable[[float], float]] = {
    "abs": abs,
    "cos": math.cos,
    "erf": math.erf,
    "exp": math.exp,
    "expm1": math.expm1,
    "log": math.log,
    "log10": math.log10,
    "log2": math.log2,
    "neg": lambda x: -x,
    "negative": lambda x: -x,
    "reciprocal": lambda x: 1 / x,
    "relu": lambda x: max(x, 0.0),
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "sin": math.sin,
    "sqrt": math.sqrt,
    "square": lambda x: x * x,
    "tanh": math.tanh,
}
_OPERATORS: Mapping[str, Callable[[], cst.BaseBinaryOp]] = {
    "add": cst.Add,
    "sub": cst.Subtract,
    "mul": cst.Multiply,
    "multiply": cst.Multiply,
    "div": cst.Divide,
    "divide": cst.Divide,
    "true_divide": cst.Divide,
}
_SUMS = (cst.Add, cst.Subtract)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the code, computed for all elements.

    at: its value where the mask is false, None if it is not known.
    reads: whether it reads through the mask.
    open: whether gradients of masked-out elements reach a tensor.
    weights: whether it has a tensor without dimensions that may require a gradient.
    """

    text: str
    at: float | None = None
    reads: bool = False
    open: bool = False
    weights: bool = False


def value_of(name: str, at: float) -> float | None:
    """Return the value of an elementwise function; None if it or its derivative may not be finite there."""
    known = name in _ANY or name in LINEAR or (name in _POSITIVE and at > 0)
    return _AT.get(name, float)(at) if known else None


class Unmasked:
    """Rewrites elementwise code on ``x[mask]`` to code on ``x``, with the same gradients.

    Where the mask is false the elements are replaced before anything whose gradient may not be finite there: zero times
    infinity is NaN. ``read`` returns the tensor that a node reads through the mask, as text.
    """

    def __init__(self, ctx: FixContext, mask: str, read: Callable[[cst.BaseExpression], str | None]) -> None:
        self._ctx, self._mask, self._read = ctx, mask, read
        self._torch = ctx.module_reference("torch")[0]

    def text(self, node: cst.BaseExpression) -> str | None:
        """Return the code for all elements; None if ``node`` is not computed elementwise."""
        part = self._part(node)
        return None if part is None else part.text

    def _part(self, node: cst.BaseExpression) -> _Part | None:
        ctx, value = self._ctx, self._ctx.value(node)
        if is_number(value) or is_zero_dim(value):
            known = float(value.value) if isinstance(value, Const) else None  # type: ignore[arg-type]
            weights = not is_number(value) and may_require_gradient(value)
            return _Part(ctx.code(node), known, weights=weights) if is_pure(ctx, node) else None
        tensor = self._read(node)
        if tensor is not None:
            return _Part(tensor, reads=True, open=True)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, (cst.Minus, cst.BitInvert)):
            part = self._part(node.expression)
            return None if part is None else _negated(node.operator, part)
        if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.MatrixMultiply):
            left, right = self._part(node.left), self._part(node.right)
            return None if left is None or right is None else self._operated(node.operator, left, right)
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            return self._called(node, node.func)
        return None

    def _operated(self, operator: cst.BaseBinaryOp, left: _Part, right: _Part) -> _Part:
        if not isinstance(operator, _SUMS):
            if right.reads:
                right = self._filled(right, lambda at: at != 0 or isinstance(operator, cst.Multiply))
            if left.reads and (right.weights or isinstance(operator, cst.Power)):
                left = self._filled(left, lambda at: at > 0)
        at = None
        if left.at is not None and right.at is not None:
            at = _result(operator, left.at, right.at)
        sign = cst.Module([]).code_for_node(operator).strip()
        return _Part(
            f"{as_primary(left.text)} {sign} {as_primary(right.text)}",
            at,
            left.reads or right.reads,
            left.open or right.open,
            left.weights or right.weights,
        )

    def _called(self, call: cst.Call, func: cst.Attribute) -> _Part | None:
        """Return the part that a call of an elementwise function or method computes."""
        name, given = func.attr.value, [arg.value for arg in call.args]
        if any(arg.star or arg.keyword for arg in call.args):
            return None
        is_function = (called_name(self._ctx, call) or "").startswith("torch.")
        operands = given if is_function else [func.value, *given]
        if name == "squeeze" and len(operands) == 1:
            return self._part(operands[0])  # what a mask selects has one dimension
        if name == "cdf" and len(given) == 1 and (normal := _normal(self._ctx, func.value)) is not None:
            return self._of_normal(given[0], self._ctx.code(func), *normal)
        if name in _DTYPES and not is_function and len(given) == 1 and is_pure(self._ctx, call):
            part = self._part(func.value)
            return None if part is None else replace(part, text=f"{as_primary(part.text)}.{_tail(self._ctx, call)}")
        parts = [self._part(each) for each in operands]
        if len(parts) == 2 and name in _OPERATORS and parts[0] is not None and parts[1] is not None:
            return self._operated(_OPERATORS[name](), parts[0], parts[1])
        if len(parts) != 1 or parts[0] is None or not (name in _ANY or name in LINEAR or name in _POSITIVE):
            return None
        part = parts[0] if name in LINEAR else self._filled(parts[0], lambda at: value_of(name, at) is not None)
        head = f"{self._ctx.code(func)}({part.text})" if is_function else f"{as_primary(part.text)}.{name}()"
        return replace(part, text=head, at=None if part.at is None else value_of(name, part.at))

    def _of_normal(self, node: cst.BaseExpression, function: str, mean: float, deviation: float) -> _Part | None:
        """Return the part of ``Normal(0.0, 1.0).cdf(x)``, which raises an error for NaN."""
        part = self._part(node)
        if part is None or not part.reads:
            return None
        filled = f"{self._torch}.where({self._mask}, {part.text}, 0)"
        return _Part(f"{function}({filled})", math.erfc(mean / deviation / math.sqrt(2)) / 2, reads=True)

    def _filled(self, part: _Part, suits: Callable[[float], bool]) -> _Part:
        """Return a part with 1 where the mask is false, unless its value there ``suits`` and no gradient leaves it."""
        if not part.reads or (not part.open and part.at is not None and suits(part.at)):
            return part
        return _Part(f"{self._torch}.where({self._mask}, {part.text}, 1)", 1.0, reads=True)


def _negated(operator: cst.BaseUnaryOp, part: _Part) -> _Part:
    text = f"{cst.Module([]).code_for_node(operator)}{as_primary(part.text)}"
    at = -part.at if isinstance(operator, cst.Minus) and part.at is not None else None
    return replace(part, text=text, at=at)


def _result(operator: cst.BaseBinaryOp, left: float, right: float) -> float | None:
    if isinstance(operator, cst.Add):
        return left + right
    if isinstance(operator, cst.Subtract):
        return left - right
    if isinstance(operator, cst.Multiply):
        return left * right
    return left / right if isinstance(operator, cst.Divide) and right else None


def _normal(ctx: FixContext, node: cst.BaseExpression) -> tuple[float, float] | None:
    """Return the mean and the deviation of ``Normal(0.0, 1.0)``; None for anything else."""
    named = (called_name(ctx, node) or "").rpartition(".")
    if not isinstance(node, cst.Call) or not named[0].startswith("torch.distributions") or named[2] != "Normal":
        return None
    found = [ctx.value(arg.value) for arg in node.args if arg.keyword is None and not arg.star]
    numbers = [float(v.value) for v in found if isinstance(v, Const) and type(v.value) in (int, float)]  # type: ignore[arg-type]
    return (numbers[0], numbers[1]) if len(numbers) == len(node.args) == 2 and numbers[1] > 0 else None


def _tail(ctx: FixContext, call: cst.Call) -> str:
    """Return the name and the arguments of a method call."""
    return ctx.code(call)[len(ctx.code(cst.ensure_type(call.func, cst.Attribute).value)) :].lstrip().removeprefix(".")
