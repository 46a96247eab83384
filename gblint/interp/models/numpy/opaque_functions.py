"""Functions behind an object of NumPy or Numba, whose ``__call__`` Dynamo does not trace."""

from __future__ import annotations

from typing import Final

from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import UNKNOWN, Tensor, Value
from gblint.values.objects import ExternalName, Function
from gblint.values.wrapped import OpaqueFunction

_VECTORIZE: Final = "numpy.vectorize"
# What makes such an object, and the cause of the break at its calls (NumPy 2.4, Numba 0.68).
CAUSES: Final = {
    _VECTORIZE: "inlining-of-skipped-function",
    "numpy.frompyfunc": "unsupported-method-call",
    "numba.jit": "unsupported-method-call",
    "numba.njit": "unsupported-method-call",
    "numba.guvectorize": "unsupported-method-call",
    "numba.vectorize": "super-attribute-not-a-function",
    "numba.stencil": "missing-hash-impl-override",
}


def _maker(name: str) -> Handler:
    def make(ctx: CallContext) -> Value:
        fact = ctx.interp.knowledge.function(name)
        if fact is not None and fact.breaks and ctx.frame.mode.tracing:
            ctx.emit("call", name, fact.gb_ids)
        function = ctx.args.get(0, "pyfunc")
        if isinstance(function, Function):
            return OpaqueFunction(function, name)
        # Without a function it is a decorator; Numba also takes the types of the arguments.
        return ExternalName(name) if function is None or name.startswith("numba.") else UNKNOWN

    return make


def call(ctx: CallContext, function: OpaqueFunction) -> Value:
    """Call such an object; only ``numpy.vectorize`` calls the function in Python, with one number at a time."""
    ctx.emit("call", function.maker, (CAUSES[function.maker],))
    if function.maker != _VECTORIZE:
        return ctx.interp.call_eagerly(function.function, ctx.args, ctx.frame, ctx.node)
    number = Tensor(0, None, ndarray=True)
    ctx.call(function.function, Args((number,) * len(ctx.args.pos)))
    return Tensor(ndarray=True)


HANDLERS: Final[dict[str, Handler]] = {name: _maker(name) for name in CAUSES}
