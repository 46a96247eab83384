"""The functions of ``operator``, which Dynamo evaluates as the operators that they stand for.

Source: ``BuiltinVariable`` in torch/_dynamo/variables/builtin.py.  ``truth`` and ``not_`` of a tensor need its value.
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import BOOL, NONE, UNKNOWN, Const, Tensor, Value, members
from gblint.values.containers import Mapping, Seq

_BINARY: Final[dict[str, ast.operator]] = {
    "add": ast.Add(),
    "and_": ast.BitAnd(),
    "floordiv": ast.FloorDiv(),
    "lshift": ast.LShift(),
    "matmul": ast.MatMult(),
    "mod": ast.Mod(),
    "mul": ast.Mult(),
    "or_": ast.BitOr(),
    "pow": ast.Pow(),
    "rshift": ast.RShift(),
    "sub": ast.Sub(),
    "truediv": ast.Div(),
    "xor": ast.BitXor(),
}
_COMPARISONS: Final[dict[str, ast.cmpop]] = {
    "eq": ast.Eq(),
    "ne": ast.NotEq(),
    "lt": ast.Lt(),
    "le": ast.LtE(),
    "gt": ast.Gt(),
    "ge": ast.GtE(),
    "is_": ast.Is(),
    "is_not": ast.IsNot(),
}


def _binary(op: ast.operator, in_place: bool) -> Handler:
    def handler(ctx: CallContext) -> Value:
        if len(ctx.args.pos) != 2:
            return UNKNOWN
        return ctx.interp.binary(op, ctx.args.pos[0], ctx.args.pos[1], ctx.frame, ctx.node, in_place)

    return handler


def _comparison(op: ast.cmpop) -> Handler:
    def handler(ctx: CallContext) -> Value:
        if len(ctx.args.pos) != 2:
            return UNKNOWN
        return ctx.interp.compare(op, ctx.args.pos[0], ctx.args.pos[1], ctx.frame, ctx.node)

    return handler


def _truth(ctx: CallContext) -> Value:
    """``operator.truth``, which Dynamo does not trace for a tensor (``bool`` it does)."""
    if any(isinstance(v, Tensor) for v in members(ctx.args.first)):
        ctx.emit("tensor-to-python", "truth", ("failed-to-trace-builtin-operator",), about=ctx.args.first)
    answer = ctx.interp.truth(ctx.args.first)
    return BOOL if answer is None else Const(answer)


def _not(ctx: CallContext) -> Value:
    """``operator.not_``."""
    if any(isinstance(v, Tensor) for v in members(ctx.args.first)):
        ctx.emit("data-dependent-op", "operator.not_", ("data-dependent-operator",), about=ctx.args.first)
    answer = ctx.interp.truth(ctx.args.first)
    return BOOL if answer is None else Const(not answer)


def _item(ctx: CallContext) -> Value:
    """``operator.getitem``."""
    if len(ctx.args.pos) != 2:
        return UNKNOWN
    return ctx.interp.get_item(ctx.args.pos[0], ctx.args.pos[1], ctx.frame, ctx.node)


def _contains(ctx: CallContext) -> Value:
    """``operator.contains``: the container comes first."""
    if len(ctx.args.pos) != 2:
        return UNKNOWN
    return ctx.interp.compare(ast.In(), ctx.args.pos[1], ctx.args.pos[0], ctx.frame, ctx.node)


def _store(ctx: CallContext) -> Value:
    """``operator.setitem``, which Dynamo does not trace for a tensor, a list or a dict."""
    if any(isinstance(v, (Tensor, Seq, Mapping)) for v in members(ctx.args.first)):
        ctx.emit("call", "operator.setitem", ("failed-to-trace-builtin-operator",), about=ctx.args.first)
    return NONE


HANDLERS: dict[str, Handler] = {
    **{f"operator.{name}": _binary(op, False) for name, op in _BINARY.items()},
    **{f"operator.i{name.rstrip('_')}": _binary(op, True) for name, op in _BINARY.items()},
    **{f"operator.{name}": _comparison(op) for name, op in _COMPARISONS.items()},
    "operator.concat": _binary(ast.Add(), False),
    "operator.iconcat": _binary(ast.Add(), True),
    "operator.truth": _truth,
    "operator.not_": _not,
    "operator.contains": _contains,
    "operator.getitem": _item,
    "operator.setitem": _store,
}
