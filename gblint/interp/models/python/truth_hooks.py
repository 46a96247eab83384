"""The truth of objects that define ``__bool__`` or ``__len__``: Dynamo inlines these methods where it is needed."""

from __future__ import annotations

import ast

from gblint.interp.models.python import uncaught
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Const, Tensor, Value, members
from gblint.values.objects import Class, Function, Instance


def run(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Run the ``__bool__`` or ``__len__`` of a value whose truth is needed.

    The result decides nothing: the attributes of the object may have other values in the next call.
    """
    for member in members(value):
        if not isinstance(member, Instance) or not isinstance(member.cls, Class):
            continue
        for name in ("__bool__", "__len__"):
            method = interp.class_attribute(member.cls, name)
            if isinstance(method, Function):
                result = interp.call(method, Args((member,)), frame, node)
                if name == "__bool__" and _is_no_bool(result):
                    uncaught.report(interp, frame, node, "truth", "observed-exception")
                break


def _is_no_bool(value: Value) -> bool:
    return isinstance(value, Tensor) or (isinstance(value, Const) and not isinstance(value.value, bool))
