"""Comparisons of data-dependent integers that Dynamo decides without their values.

Dynamo simplifies expressions of unbacked SymInts (``u + 1 > u``), and knows what ``torch._check`` and ``assert`` state
and that sizes are not negative.  An expression is a polynomial here: the coefficient of each product of symbols.  A
symbol is a variable that is bound once, or a size of such a variable.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gblint.interp.state.frame import Frame
from gblint.runtime import ast_walk
from gblint.values.base import Scalar, Tensor

Polynomial = dict[tuple[str, ...], int]
_INFINITE: Final = 1 << 80
_MOST_TERMS: Final = 32
# Variables that are looked up for one expression, and stated facts that count: work is bounded for every program.
MAX_LOOKUPS: Final = 24
MAX_FACTS: Final = 16
# Functions whose first argument is the size of the first dimension of the result.
_SIZED: Final = frozenset("arange empty ones rand randn zeros".split())


def decide(test: ast.expr, frame: Frame) -> bool | None:
    """Return the outcome of a condition on data-dependent integers; None if it depends on the data."""
    if not isinstance(test, ast.Compare):
        test = ast.Compare(test, [ast.NotEq()], [ast.Constant(0)])
    difference = _difference(test, frame)
    if difference is None:
        return None
    low, high = _range(difference, _Facts(frame))
    op = test.ops[0]
    if isinstance(op, (ast.Eq, ast.NotEq)):
        known = True if low == high == 0 else False if low > 0 or high < 0 else _excluded(difference, frame)
        return known if known is None or isinstance(op, ast.Eq) else not known
    if isinstance(op, (ast.Gt, ast.GtE)):
        bound = int(isinstance(op, ast.Gt))
        return True if low >= bound else False if high < bound else None
    bound = -int(isinstance(op, ast.Lt))
    return True if high <= bound else False if low > bound else None


def _difference(test: ast.expr, frame: Frame) -> Polynomial | None:
    """Return the left side of a comparison minus the right side."""
    kinds = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], kinds):
        return None
    left, right = _parse(test.left, frame), _parse(test.comparators[0], frame)
    return None if left is None or right is None else _sum(left, right, -1)


def _excluded(difference: Polynomial, frame: Frame) -> bool | None:
    """Return False for a difference of which it was stated that it is not zero."""
    for stated in list(frame.known_true.values())[-MAX_FACTS:]:
        if isinstance(stated, ast.Compare) and isinstance(stated.ops[0], ast.NotEq):
            other = _difference(stated, frame)
            if other is not None and other in (difference, _sum({}, difference, -1)):
                return False
    return None


# -- expressions -----------------------------------------------------------------------------------------------------


def _parse(node: ast.expr, frame: Frame, lookups: list[ast.expr] | None = None) -> Polynomial | None:
    """Return the polynomial of an expression; ``lookups`` collects the variables and sizes that were looked up."""
    lookups = [] if lookups is None else lookups
    if isinstance(node, ast.Constant):
        return _constant(node.value) if type(node.value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        operand = _parse(node.operand, frame, lookups)
        return None if operand is None else _sum({}, operand, -1)
    if isinstance(node, ast.BinOp):
        left = _parse(node.left, frame, lookups)
        right = None if left is None else _parse(node.right, frame, lookups)
        return None if left is None or right is None else _combined(node.op, left, right)
    lookups.append(node)
    if len(lookups) > MAX_LOOKUPS:
        return None
    return _variable(node, frame, lookups) if isinstance(node, ast.Name) else _size(node, frame, lookups)


def _variable(node: ast.Name, frame: Frame, lookups: list[ast.expr]) -> Polynomial | None:
    """Return what a variable is computed from, or the symbol for it."""
    value = frame.variables.get(node.id)
    is_symbol = isinstance(value, Scalar) and value.kind in ("int", "number") and value.origin in ("data", "size")
    if not is_symbol or not _is_bound_once(node.id, frame):
        return None
    made = _binding(node.id, frame)
    computed = None if made is None or made.lineno >= node.lineno else _parse(made, frame, lookups)
    return {(node.id,): 1} if computed is None else computed


def _constant(value: int) -> Polynomial:
    return {(): value} if value else {}


def _combined(op: ast.operator, left: Polynomial, right: Polynomial) -> Polynomial | None:
    if isinstance(op, (ast.Add, ast.Sub)):
        return _sum(left, right, 1 if isinstance(op, ast.Add) else -1)
    if isinstance(op, ast.Mult):
        return _product(left, right)
    if isinstance(op, (ast.Mod, ast.FloorDiv)):
        quotient = _quotient(left, right)
        return None if quotient is None else {} if isinstance(op, ast.Mod) else quotient
    return None


def _sum(left: Polynomial, right: Polynomial, factor: int) -> Polynomial:
    out = dict(left)
    for term, coefficient in right.items():
        out[term] = out.get(term, 0) + factor * coefficient
    return {term: coefficient for term, coefficient in out.items() if coefficient}


def _product(left: Polynomial, right: Polynomial) -> Polynomial | None:
    out: Polynomial = {}
    if len(left) * len(right) > _MOST_TERMS:
        return None
    for a, x in left.items():
        for b, y in right.items():
            term = tuple(sorted(a + b))
            out[term] = out.get(term, 0) + x * y
    return {term: coefficient for term, coefficient in out.items() if coefficient}


def _quotient(left: Polynomial, right: Polynomial) -> Polynomial | None:
    """Return ``left / right`` if nothing is left over."""
    if not right:
        return None
    lead = max(right, key=lambda term: (len(term), term))
    out: Polynomial = {}
    rest = left
    for _ in range(_MOST_TERMS):
        if not rest:
            return out
        term = max(rest, key=lambda each: (len(each), each))
        factors = list(term)
        if rest[term] % right[lead] or any(factors.count(symbol) < lead.count(symbol) for symbol in lead):
            return None
        for symbol in lead:
            factors.remove(symbol)
        step: Polynomial = {tuple(factors): rest[term] // right[lead]}
        taken = _product(step, right)
        if taken is None:
            return None
        out, rest = _sum(out, step, 1), _sum(rest, taken, -1)
    return None


def _size(node: ast.expr, frame: Frame, lookups: list[ast.expr]) -> Polynomial | None:
    """Return the size in ``x.shape[0]``, ``x.size(0)``, ``len(x)`` and, for a vector, ``x.numel()``."""
    place = _sized(node)
    if place is None or not _is_bound_once(place, frame):
        return None
    tensor = frame.variables.get(place)
    if not isinstance(tensor, Tensor) or (".numel" in ast.unparse(node) and tensor.rank != 1):
        return None
    made = _binding(place, frame)
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in _SIZED:
        if made.args and (made.func.attr != "arange" or len(made.args) == 1):
            known = _parse(made.args[0], frame, lookups)
            if known is not None:
                return known
    return {(f"{place}.shape[0]",): 1}


def _sized(node: ast.expr) -> str | None:
    """Return the name of the tensor of whose first dimension a node is the size."""
    holder: ast.expr | None = None
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        holder = node.value.value if _is_zero(node.slice) else None
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if (node.func.attr == "size" and len(node.args) == 1 and _is_zero(node.args[0])) or node.func.attr == "numel":
            holder = node.func.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and node.args:
        holder = node.args[0]
    return holder.id if isinstance(holder, ast.Name) else None


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _is_bound_once(name: str, frame: Frame) -> bool:
    """Return whether a variable of the running function has one value."""
    return len(_stores(name, frame)) == 1


def _stores(name: str, frame: Frame) -> list[ast.Name]:
    if frame.function is None:
        return []
    nodes = ast_walk.walk(frame.function.node)
    return [n for n in nodes if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)]


def _binding(name: str, frame: Frame) -> ast.expr | None:
    """Return the expression that is assigned to a variable."""
    nodes = ast_walk.walk(frame.function.node) if frame.function is not None else ()
    return next((n.value for n in nodes if isinstance(n, ast.Assign) and _stores(name, frame)[0] in n.targets), None)


# -- what is known ---------------------------------------------------------------------------------------------------


class _Facts:
    """The stated facts: ``bounds`` are not negative; the smallest and the largest value of each symbol."""

    def __init__(self, frame: Frame) -> None:
        self.bounds: list[Polynomial] = []
        self.low: dict[str, int] = {}
        self.high: dict[str, int] = {}
        for stated in list(frame.known_true.values())[-MAX_FACTS:]:
            difference = _difference(stated, frame)
            if difference is not None and isinstance(stated, ast.Compare):
                for bound in _at_least_zero(stated.ops[0], difference):
                    self.bounds.append(bound)
                    self._add(bound)

    def _add(self, bound: Polynomial) -> None:
        """Note that a polynomial is at least zero, if it has one symbol with the coefficient 1 or -1."""
        terms = [term for term in bound if term]
        if len(terms) == 1 and len(terms[0]) == 1:
            symbol, coefficient, rest = terms[0][0], bound[terms[0]], bound.get((), 0)
            if coefficient == 1:
                self.low[symbol] = max(self.low.get(symbol, -_INFINITE), -rest)
            elif coefficient == -1:
                self.high[symbol] = min(self.high.get(symbol, _INFINITE), rest)

    def of(self, symbol: str) -> tuple[int, int]:
        """Return the smallest and the largest value of a symbol."""
        least = 0 if symbol.endswith(".shape[0]") else -_INFINITE
        return max(self.low.get(symbol, -_INFINITE), least), self.high.get(symbol, _INFINITE)


def _at_least_zero(op: ast.cmpop, difference: Polynomial) -> Iterator[Polynomial]:
    """Yield polynomials that are not negative if ``difference op 0`` holds."""
    opposite = _sum({}, difference, -1)
    if isinstance(op, (ast.GtE, ast.Eq)):
        yield difference
    if isinstance(op, (ast.LtE, ast.Eq)):
        yield opposite
    if isinstance(op, ast.Gt):
        yield _sum(difference, _constant(1), -1)
    if isinstance(op, ast.Lt):
        yield _sum(opposite, _constant(1), -1)


def _range(polynomial: Polynomial, facts: _Facts) -> tuple[int, int]:
    """Return the smallest and the largest value of a polynomial, also by way of a bound of several symbols."""
    found = [_direct_range(polynomial, facts)]
    found += [(_direct_range(_sum(polynomial, bound, -1), facts)[0], _INFINITE) for bound in facts.bounds]
    found += [(-_INFINITE, _direct_range(_sum(polynomial, bound, 1), facts)[1]) for bound in facts.bounds]
    return max(low for low, _ in found), min(high for _, high in found)


def _direct_range(polynomial: Polynomial, facts: _Facts) -> tuple[int, int]:
    """Return the smallest and the largest value of a polynomial by those of its symbols."""
    low = high = polynomial.get((), 0)
    for term, coefficient in polynomial.items():
        if not term:
            continue
        one, other = facts.of(term[0]) if len(term) == 1 else (-_INFINITE, _INFINITE)
        ends = (coefficient * one, coefficient * other)
        low, high = low + min(ends), high + max(ends)
    return low, high
