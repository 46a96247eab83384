"""Symbols: sizes under ``dynamic=True``, and integers that differ between calls.

Dynamo computes with them, and breaks where Python or NumPy needs the number.

Source: torch/_dynamo/variables/builtin.py and torch/_dynamo/variables/user_defined.py (``random``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import INT, Const, Scalar, Tensor, Value, members
from gblint.values.containers import Seq

_BUILTIN: Final = "failed-to-trace-builtin-operator"
_CAUSES: Final = {
    **{f"builtins.{name}": _BUILTIN for name in ("bin", "chr", "complex", "hex", "oct", "str")},
    "builtins.divmod": "observed-exception",
    "builtins.repr": "repr-impl-not-implemented",
    **{
        f"math.{name}": "torch-op-returned-non-tensor"
        for name in ("comb", "factorial", "gcd", "isclose", "isqrt", "lcm", "perm")
    },
    **{f"random.{name}": "call-of-skipped-function" for name in ("randint", "randrange", "uniform")},
}


def check(ctx: CallContext, name: str) -> None:
    """Report a call that needs the number behind a symbol: a size, or an integer that the region is called with."""
    if not ctx.frame.mode.tracing:
        return
    if name == "builtins.sorted":
        items = ctx.items_of(ctx.args.first) if isinstance(ctx.args.first, Seq) else None
        if ctx.args.kw.get("key") is None and items is not None and any(_is_size(v, ctx.frame) for v in items):
            ctx.emit("symbolic-size", "sorted", ("sort-with-non-constant-keys",))
        return
    cause = _CAUSES.get(name)
    if cause is None:
        return
    subject = name.partition(".")[2]
    if any(_is_size(value, ctx.frame) or _is_shape(value, ctx.frame) for value in ctx.args.pos):
        ctx.emit("symbolic-size", subject, (cause,))
    elif any(_is_argument(node, value, ctx.frame) for node, value in _written(ctx)):
        ctx.emit("symbolic-size", f"argument:{subject}", (cause,), likely=True)


def check_array_index(interp: Interpreter, base: Tensor, index: Value, frame: Frame, node: ast.AST) -> None:
    """Report ``array[n]`` of a NumPy array: Dynamo passes the array itself to ``select``, which takes a tensor.

    A slice, a tuple such as ``array[n, ...]`` and a constant are traced (torch/_dynamo/variables/tensor.py).
    """
    if not frame.mode.tracing or not base.ndarray:
        return
    if _is_size(index, frame):
        interp.emit(frame, node, "symbolic-size", "array-index", ("type-error-in-fake-tensor-call",))
    elif isinstance(node, ast.Subscript) and _is_argument(node.slice, index, frame, may_differ=index == INT):
        interp.emit(
            frame, node, "symbolic-size", "argument:array-index", ("type-error-in-fake-tensor-call",), likely=True
        )


def _is_size(value: Value, frame: Frame) -> bool:
    return bool(frame.mode.dynamic) and all(
        isinstance(v, Scalar) and v.origin == "size" and v.kind == "int" for v in members(value)
    )


def _is_shape(value: Value, frame: Frame) -> bool:
    return bool(frame.mode.dynamic) and isinstance(value, Seq) and value.cls == "Size"


def _written(ctx: CallContext) -> Iterable[tuple[ast.expr, Value]]:
    """Return the arguments of a call with their values, if it shows them all."""
    if not isinstance(ctx.node, ast.Call) or len(ctx.node.args) != len(ctx.args.pos):
        return ()
    return zip(ctx.node.args, ctx.args.pos)


def _is_argument(node: ast.expr, value: Value, frame: Frame, *, may_differ: bool = False) -> bool:
    """Return whether ``node`` is an integer parameter of the region whose values make it a symbol.

    may_differ: the values are not known, and mostly differ, as those of an index do.

    Dynamo keeps the first value, unless ``dynamic=True`` (torch/_dynamo/variables/builder.py, ``wrap_symint``).
    """
    if not isinstance(node, ast.Name) or frame.depth > 1 or frame.function is None:
        return False
    known = may_differ
    if frame.mode.dynamic:
        known = all(type(getattr(v, "value", None)) is int or v == INT for v in members(value))
    elif not may_differ:
        known = len(members(value)) > 1 and all(isinstance(v, Const) and type(v.value) is int for v in members(value))
    if not known:
        return False
    function = frame.function.node
    return node.id in frame.parameters and not any(
        isinstance(n, ast.Name) and n.id == node.id and isinstance(n.ctx, ast.Store) for n in ast_walk.walk(function)
    )
