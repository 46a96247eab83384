"""Functions that Numba compiles: Dynamo sees an object of Numba, whose ``__call__`` it does not trace."""

from __future__ import annotations

from typing import Final

from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import Value
from gblint.values.objects import ExternalName, Function
from gblint.values.wrapped import NumbaFunction

# The causes of the breaks at calls of what each decorator makes (Numba 0.68).
CAUSES: Final = {
    "numba.jit": "unsupported-method-call",
    "numba.njit": "unsupported-method-call",
    "numba.guvectorize": "unsupported-method-call",
    "numba.vectorize": "super-attribute-not-a-function",
    "numba.stencil": "missing-tp-iternext",
}


def _maker(name: str) -> Handler:
    def make(ctx: CallContext) -> Value:
        function = ctx.args.get(0, "pyfunc")
        return NumbaFunction(function, name) if isinstance(function, Function) else ExternalName(name)

    return make


def call(ctx: CallContext, function: NumbaFunction) -> Value:
    """Call a function that Numba has compiled; its body is not traced."""
    ctx.emit("call", function.decorator, (CAUSES[function.decorator],))
    return ctx.interp.call_eagerly(function.function, ctx.args, ctx.frame, ctx.node)


HANDLERS: Final[dict[str, Handler]] = {name: _maker(name) for name in CAUSES}
