"""Trees of operands and outputs of the functions that higher-order operators capture."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gblint.interp.state.call_context import CallContext
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import UNKNOWN, Const, Scalar, Tensor, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import ExternalName, Function, Partial

Structure = object
_LEAF = "leaf"


class Numbered:
    """Numbers the tensors among the inputs of a body, to identify them in its result."""

    def __init__(self, interp: Interpreter, node: ast.AST) -> None:
        self.m = interp
        self.node = node
        self.numbers: set[int] = set()

    def value(self, value: Value) -> Value:
        """Return ``value`` with its tensors numbered."""
        if isinstance(value, Tensor):
            place = (self.node, len(self.numbers))
            number = self.m.capture.operands.setdefault(place, len(self.m.capture.operands) + 1)
            self.numbers.add(number)
            return replace(value, operand_id=number)
        if isinstance(value, Seq) and value.items is not None:
            return Seq(value.cls, tuple(self.value(v) for v in value.items))
        if isinstance(value, Mapping):
            return Mapping(tuple((k, self.value(v)) for k, v in value.entries), value.rest, value.keys, value.cls)
        return value


def shares_output(function: Value) -> bool:
    """Return whether a function returns one variable twice, or a tensor of its closure unchanged."""
    while isinstance(function, Partial):
        function = function.function
    if not isinstance(function, Function):
        return False
    node = function.node
    if isinstance(node, ast.Lambda):
        returned: list[ast.expr | None] = [node.body]
    else:
        returned = [n.value for n in ast_walk.walk(node) if isinstance(n, ast.Return)]
    bound = {n.id for n in ast_walk.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.arg for n in ast_walk.walk(node) if isinstance(n, ast.arg)}
    for value in returned:
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        names = [e.id for e in parts if isinstance(e, ast.Name)]
        if len(set(names)) < len(names):
            return True
        around = [function.scope.lookup(n) for n in names if n not in bound] if function.scope is not None else []
        if any(isinstance(v, Tensor) for v in around):
            return True
    return False


def leaves_of(value: Value, depth: int = 0) -> list[Value]:
    """Return the leaves of a tree of tuples, lists and dicts."""
    if isinstance(value, Seq) and depth < 5:
        items = value.items if value.items is not None else (value.rest,)
        return [leaf for item in items for leaf in leaves_of(item, depth + 1)]
    if isinstance(value, Mapping) and depth < 5:
        return [leaf for _, item in value.entries for leaf in leaves_of(item, depth + 1)]
    return [value]


def structure(value: Value) -> Structure | None:
    """Return the structure of a tree; None if it is unknown."""
    if isinstance(value, Seq):
        if value.items is None:
            return None
        parts = [structure(v) for v in value.items]
        return None if None in parts else (value.cls, *parts)
    if isinstance(value, Mapping):
        if value.rest is not None:
            return None
        named = [(k, structure(v)) for k, v in value.entries]
        return None if any(part is None for _, part in named) else (value.cls, frozenset(named))
    return _LEAF if isinstance(value, (Tensor, Const, Scalar)) else None


def is_static(value: Value) -> bool:
    """Return whether a value is one that a graph cannot return: a string, a float, a function."""
    if isinstance(value, Const):
        return value.value is not None and not isinstance(value.value, (bool, int))
    if isinstance(value, Scalar):
        return value.kind in ("float", "str", "bytes", "complex")
    return isinstance(value, (Function, ExternalName))


def items_of(ctx: CallContext, value: Value | None) -> tuple[Value, ...]:
    """Return the items of a list or tuple; none if they are unknown."""
    if not isinstance(value, Seq):
        return ()
    return ctx.items_of(value) or ()


def is_sequence(value: Value | None) -> bool:
    """Return whether a value may be a list or a tuple."""
    return value is None or isinstance(value, (Seq, Unknown)) or len(members(value)) > 1


def slices(values: Sequence[Value]) -> list[Value]:
    """Return one slice along the first dimension of each tensor in trees."""
    out: list[Value] = []
    for value in values:
        if isinstance(value, Tensor):
            out.append(Tensor(None if value.rank is None else max(value.rank - 1, 0), value.dtype, value.proven))
        elif isinstance(value, Seq) and value.items is not None:
            out.append(Seq(value.cls, tuple(slices(value.items))))
        elif isinstance(value, Mapping):
            out.append(Mapping(tuple((k, slices([v])[0]) for k, v in value.entries), value.rest, value.keys, value.cls))
        else:
            out.append(value)
    return out


def stacked(value: Value) -> Value:
    """Return the outputs of a body, stacked along a new first dimension."""
    if isinstance(value, Tensor):
        return Tensor(None if value.rank is None else value.rank + 1, value.dtype, value.proven)
    if isinstance(value, Seq) and value.items is not None:
        return Seq(value.cls, tuple(stacked(v) for v in value.items))
    return UNKNOWN
