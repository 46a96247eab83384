"""Calls of logging functions that Dynamo is set to run after the graph (``reorderable_logging_functions``)."""

from __future__ import annotations

from gblint.interp.state.call_context import CallContext
from gblint.values.base import Value
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, ExternalName, Instance


def check(ctx: CallContext, name: str) -> None:
    """Report a call that cannot be reordered: it takes more than tensors, constants and strings.

    ``DebuggingVariable.can_reorder_logs`` in ``torch/_dynamo/variables/misc.py``.
    """
    if name in ctx.frame.mode.config.reordered and any(map(_stays, (*ctx.args.pos, *ctx.args.kw.values()))):
        ctx.emit("reordered-call", name, ("reordered-function-cannot-be-reordered",))


def _stays(value: Value) -> bool:
    """Return whether this argument keeps a call from being reordered."""
    if isinstance(value, ExternalName):
        return value.name.startswith("builtins.") and value.name[9:10].isupper()
    return isinstance(value, (Seq, Mapping, Instance, Class))
