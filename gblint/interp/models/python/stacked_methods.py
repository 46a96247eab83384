"""Methods on the stack at a graph break: Dynamo cannot pass those of new objects to the code after it.

A break inside of a call ends the graph at the call.  The resumed frame gets what is on the stack there, the bound
method and its arguments.  Dynamo cannot build a bound method of an object that the frame has made since its last break
(torch/_dynamo/variables/functions.py, ``UserMethodVariable``), so that the whole frame runs eagerly.
"""

from __future__ import annotations

import ast

from gblint.interp.state import resumption, trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Value
from gblint.values.containers import Seq
from gblint.values.objects import BoundMethod, Class, ExternalName, Function, Instance
from gblint.values.wrapped import ContextManagerFactory, StaticMethod


def resume(interp: Interpreter, frame: Frame, *states: dict[str, Value], statement: ast.stmt | None = None) -> None:
    """Turn the variables into inputs of the resume function, if the running statement has broken the graph.

    See ``resumption.convert_to_inputs`` for the arguments.
    """
    if frame.flow.pending_resume:
        check_variables(interp, frame)
        resumption.convert_to_inputs(frame, *states, statement=statement)
    elif frame.flow.pending_guess:
        resumption.convert_guessed(frame, *states)


def check(ctx: CallContext, method: BoundMethod) -> None:
    """Report a method of a new object whose call has just broken the graph."""
    receiver, frame, node = method.receiver, ctx.frame, ctx.node
    if not isinstance(receiver, Instance) or not is_new(receiver, frame):
        return
    if frame.flow.loops or not isinstance(node, ast.Call) or not _is_looked_up(node, method):
        return
    if not isinstance(method.function, Function) or not _is_under_manager(ctx.interp, method.function):
        ctx.emit("operation", "method-on-stack", ("reconstruction-failure",))
    trace_builder.record_method_on_stack(frame, node)


def check_decorated(interp: Interpreter, function: Function, args: Args, frame: Frame, node: ast.AST) -> None:
    """Report a method of a new object under ``@torch.no_grad()`` or another context manager.

    Dynamo looks up the function that the decorator made, and has no source for it (``SourcelessBuilder``).
    """
    receiver = args.pos[0] if args.pos else None
    if not frame.mode.tracing or not isinstance(receiver, Instance) or receiver.pre_existing:
        return
    if isinstance(node, ast.Call) and len(node.args) >= len(args.pos):
        return  # ``function(self, x)``: a wrapper calls the function below the decorator
    is_method = isinstance(receiver.cls, Class) and function.owner in receiver.cls.mro
    # An object that was made earlier came through a break.
    if is_method and receiver.uid >= frame.flow.region_from and _is_under_manager(interp, function):
        interp.emit(frame, node, "operation", "decorated-method", ("unexpected-type-in-sourceless-builder",))


def _is_under_manager(interp: Interpreter, function: Function) -> bool:
    if isinstance(function.node, ast.Lambda):
        return False
    for decorator in function.node.decorator_list:
        maker = decorator.func if isinstance(decorator, ast.Call) else decorator
        value = interp.eval(maker, interp.module_frame(function.module))
        if isinstance(value, ContextManagerFactory):
            return True
        if isinstance(value, ExternalName) and interp.knowledge.context_manager(value.name) is not None:
            return True
    return False


def begin(ctx: CallContext) -> bool:
    """Begin to watch a call; return whether the statement has broken the graph before."""
    flow = ctx.frame.flow
    before, flow.pending_resume = flow.pending_resume, False
    return before


def end(ctx: CallContext, before: bool) -> bool:
    """Return whether the call that was watched has broken the graph for certain."""
    flow = ctx.frame.flow
    broke, flow.pending_resume = flow.pending_resume, flow.pending_resume or before
    return broke


def check_static(ctx: CallContext) -> None:
    """Report a static method, looked up on a new object, whose call has just broken the graph: the object is passed."""
    node, frame = ctx.node, ctx.frame
    called = node.func if isinstance(node, ast.Call) else None
    if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name) or frame.flow.loops:
        return
    receiver = frame.variables.get(called.value.id)
    if isinstance(receiver, Instance) and isinstance(receiver.cls, Class) and is_new(receiver, frame):
        if isinstance(ctx.interp.class_attribute(receiver.cls, called.attr), StaticMethod):
            ctx.emit("operation", "method-on-stack", ("reconstruction-failure",))
            trace_builder.record_method_on_stack(frame, node)


def check_variables(interp: Interpreter, frame: Frame) -> None:
    """Report a break while a variable that is used later holds a method of a new object."""
    node, function = frame.flow.broken_node, frame.function
    if node is None or function is None or frame.flow.loops or not frame.mode.tracing:
        return
    held = [name for name, value in frame.variables.items() if _holds_method(value, frame)]
    last = getattr(node, "end_lineno", None) or 0
    for each in ast_walk.walk(function.node) if held else ():
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id in held and each.lineno > last:
            interp.emit(frame, node, "operation", "method-in-variable", ("reconstruction-failure",))
            trace_builder.record_failed_entry(frame, node)
            trace_builder.record_method_on_stack(frame, node)
            return


def _holds_method(value: Value, frame: Frame) -> bool:
    if isinstance(value, Seq):
        return any(_holds_method(item, frame) for item in value.items or ())
    if not isinstance(value, BoundMethod) or not isinstance(value.function, Function):
        return False
    return isinstance(value.receiver, Instance) and is_new(value.receiver, frame)


def is_new(value: Value, frame: Frame) -> bool:
    """Return whether a value is an object that Dynamo has made in this frame, since it began or last broke."""
    return isinstance(value, Instance) and not value.pre_existing and value.uid >= frame.flow.objects_from


def _is_looked_up(node: ast.Call, method: BoundMethod) -> bool:
    """Return whether a call looks the method up by name; calls of an object put the object on the stack."""
    if not isinstance(method.function, Function):
        return False
    name = method.function.name.rpartition(".")[2]
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    return called == name or not (name == "forward" or (name.startswith("__") and name.endswith("__")))
