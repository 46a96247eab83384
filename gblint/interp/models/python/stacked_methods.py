"""Methods on the stack at a graph break: Dynamo cannot pass those of new objects to the code after it.

A break inside of a call ends the graph at the call.  The resumed frame gets what is on the stack there, the bound
method and its arguments.  Dynamo cannot build a bound method of an object that the frame has made since its last break
(torch/_dynamo/variables/functions.py, ``UserMethodVariable``), so that the whole frame runs eagerly.
"""

from __future__ import annotations

import ast

from gblint.interp.state import trace_builder
from gblint.interp.state.call_context import CallContext
from gblint.values.objects import BoundMethod, Function, Instance


def check(ctx: CallContext, method: BoundMethod) -> None:
    """Report a method of a new object whose call has just broken the graph."""
    receiver, frame, node = method.receiver, ctx.frame, ctx.node
    if not isinstance(receiver, Instance) or receiver.pre_existing or receiver.uid < frame.flow.objects_from:
        return
    if frame.flow.loops or not isinstance(node, ast.Call) or not _is_looked_up(node, method):
        return
    ctx.emit("operation", "method-on-stack", ("reconstruction-failure",))
    trace_builder.record_method_on_stack(frame, node)


def _is_looked_up(node: ast.Call, method: BoundMethod) -> bool:
    """Return whether a call looks the method up by name; calls of an object put the object on the stack."""
    if not isinstance(method.function, Function):
        return False
    name = method.function.name.rpartition(".")[2]
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    return called == name or not (name == "forward" or (name.startswith("__") and name.endswith("__")))
