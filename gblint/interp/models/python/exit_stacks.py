"""``contextlib.ExitStack``: what it enters, and the functions that it calls at the end of its ``with`` statement."""

from __future__ import annotations

import ast

from gblint.interp.models.python import context_managers
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import NONE, UNKNOWN, Value, members
from gblint.values.objects import Class, ExternalObject, Instance

NAME = "contextlib.ExitStack"


def made(ctx: CallContext) -> Value:
    """``contextlib.ExitStack()``."""
    return ExternalObject(NAME, pre_existing=not ctx.frame.mode.tracing)


def enter_context(ctx: CallContext) -> Value:
    """``ExitStack.enter_context``: Dynamo traces managers with source, but not torch's and not ``nullcontext``."""
    manager = ctx.args.first or UNKNOWN
    names = [member.cls for member in members(manager) if isinstance(member, ExternalObject)]
    if any(name.startswith("torch.") for name in names):
        ctx.emit("context-manager", NAME, ("call-of-skipped-function",))
    elif "contextlib.nullcontext" in names:
        ctx.emit("context-manager", NAME, ("unsupported-function-call",))
    return context_managers.entered(ctx, manager)


def callback(ctx: CallContext) -> Value:
    """``ExitStack.callback(function, ...)``: the function is called at the end of the ``with`` statement."""
    function = ctx.args.first
    _call_at_exit(ctx, function, replace(ctx.args, pos=ctx.args.pos[1:]))
    return function


def push(ctx: CallContext) -> Value:
    """``ExitStack.push``: like ``callback``, of a manager's ``__exit__`` or of a function with its arguments."""
    pushed = ctx.args.first
    exception = (NONE, NONE, NONE)
    if not isinstance(pushed, Instance):
        _call_at_exit(ctx, pushed, Args(exception))
    elif isinstance(pushed.cls, Class):
        leave = ctx.interp.class_attribute(pushed.cls, "__exit__")
        if leave is not None:
            _call_at_exit(ctx, leave, Args((pushed, *exception)))
    return pushed


def _call_at_exit(ctx: CallContext, function: Value, args: Args) -> None:
    """Call ``function`` at the innermost ``with`` statement around the call that enters an ``ExitStack``."""
    manager = _entered_around(ctx.interp, ctx.frame, ctx.node)
    if manager is not None:
        ctx.interp.call(function, args, ctx.frame, manager)


def _entered_around(interp: Interpreter, frame: Frame, node: ast.AST) -> ast.expr | None:
    function = None if frame.function is None else frame.function.node
    if not isinstance(function, ast.FunctionDef):
        return None
    line = getattr(node, "lineno", 0)
    around = [
        item.context_expr
        for statement in ast_walk.walk(function)
        if isinstance(statement, ast.With) and statement.lineno <= line <= (statement.end_lineno or 0)
        for item in statement.items
        if isinstance(item.context_expr, ast.Call) and _makes_stack(interp, item.context_expr, frame)
    ]
    return max(around, key=lambda entered: entered.lineno, default=None)


def _makes_stack(interp: Interpreter, call: ast.Call, frame: Frame) -> bool:
    return getattr(interp.eval(call.func, frame), "name", "") == NAME


HANDLERS = {NAME: made, f"{NAME}.enter_context": enter_context, f"{NAME}.callback": callback, f"{NAME}.push": push}
