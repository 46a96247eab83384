"""Sizes under ``dynamic=True``: Dynamo computes with them as symbols, and breaks where Python needs the number.

Source: torch/_dynamo/variables/builtin.py and torch/_dynamo/variables/user_defined.py (``random``).
"""

from __future__ import annotations

from typing import Final

from gblint.interp.state.call_context import CallContext
from gblint.values.base import Scalar, Value, members
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
    """Report a call that needs the number behind a size that is a symbol."""
    if not ctx.frame.mode.tracing:
        return
    if name == "builtins.sorted":
        items = ctx.items_of(ctx.args.first) if isinstance(ctx.args.first, Seq) else None
        if ctx.args.kw.get("key") is None and items is not None and any(map(_is_size, items)):
            ctx.emit("symbolic-size", "sorted", ("sort-with-non-constant-keys",))
        return
    cause = _CAUSES.get(name)
    if cause is not None and any(_is_size(value) or _is_shape(value) for value in ctx.args.pos):
        ctx.emit("symbolic-size", name.partition(".")[2], (cause,))


def _is_size(value: Value) -> bool:
    return all(isinstance(v, Scalar) and v.origin == "size" and v.kind == "int" for v in members(value))


def _is_shape(value: Value) -> bool:
    return isinstance(value, Seq) and value.cls == "Size"
