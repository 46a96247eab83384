"""``inspect.isfunction``, ``inspect.ismethod`` and ``inspect.isclass``."""

from __future__ import annotations

from typing import Final

from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import BOOL, Const, Scalar, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import BoundMethod, Class, Function, Instance

# Values that are a function, a method or a class exactly if they are one of gblint's kinds of them.
_TOLD: Final = (Function, BoundMethod, Class, Instance, Const, Scalar, Tensor, Seq, Mapping)


def _asks_for(kind: type[Value]) -> Handler:
    def answer(ctx: CallContext) -> Value:
        found = {isinstance(each, kind) if isinstance(each, _TOLD) else None for each in members(ctx.args.first)}
        known = found.pop() if len(found) == 1 else None
        return BOOL if known is None else Const(known)

    return answer


HANDLERS: dict[str, Handler] = {
    "inspect.isfunction": _asks_for(Function),
    "inspect.ismethod": _asks_for(BoundMethod),
    "inspect.isclass": _asks_for(Class),
}
