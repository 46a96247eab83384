"""Calls of logging functions that Dynamo was told to move behind the graph (``reorderable_logging_functions``)."""

from __future__ import annotations

import ast

from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Value
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, ExternalName, Instance


def check(m: Interpreter, name: str, args: Args, frame: Frame, node: ast.AST) -> None:
    """Report a call that cannot be moved: it takes more than tensors, constants and texts.

    ``DebuggingVariable.can_reorder_logs`` in ``torch/_dynamo/variables/misc.py``.
    """
    if name in frame.mode.reordered and any(map(_stays, (*args.pos, *args.kw.values()))):
        m.emit(frame, node, "reordered-call", name, ("GB0296",))


def _stays(value: Value) -> bool:
    """Whether a call with this argument stays where it is."""
    if isinstance(value, ExternalName):
        return value.name.startswith("builtins.") and value.name[9:10].isupper()
    return isinstance(value, (Seq, Mapping, Instance, Class))
