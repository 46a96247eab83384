"""Regular expressions: Dynamo runs them on constants while it traces; the result is a constant."""

from __future__ import annotations

from gblint.interp.domain import tensor_text
from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import NONE, Value
from gblint.values.lattice import join
from gblint.values.objects import ExternalObject

PATTERN = ExternalObject("re.Pattern")
MATCH = ExternalObject("re.Match")


def compiled(ctx: CallContext) -> Value:
    """``re.compile``."""
    return PATTERN


def matched(ctx: CallContext) -> Value:
    """``re.match`` and similar, also as methods of a pattern."""
    return join(NONE, MATCH)


def check(ctx: CallContext, receiver: ExternalObject, name: str) -> None:
    """Report a method of a pattern with the text of a tensor, which is not a constant."""
    if receiver in (PATTERN, MATCH) and any(tensor_text.shows_tensor(v) for v in ctx.args.all()):
        ctx.emit("call", f"{receiver.cls}.{name}", ("constant-method-with-non-constant-args",))


HANDLERS: dict[str, Handler] = {
    "re.compile": compiled,
    **{f"{of}.{name}": matched for of in ("re", "re.Pattern") for name in ("match", "fullmatch", "search")},
}
