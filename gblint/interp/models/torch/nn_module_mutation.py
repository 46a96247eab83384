"""Changes of modules from outside the region in compiled code: initialising, casting, loading weights."""

from __future__ import annotations

import ast

from gblint.interp.domain import by_python
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Tensor, Value, members
from gblint.values.objects import Function, Instance, is_nn_module

# Methods of ``nn.Module`` that Dynamo inlines, with the cause of the break inside.
_REFUSED = {
    "half": "nn-parameter-constructor-with-dynamo",
    "double": "nn-parameter-constructor-with-dynamo",
    "bfloat16": "nn-parameter-constructor-with-dynamo",
    "share_memory": "unhandled-args-for-method",
    "load_state_dict": "torch-op-returned-non-tensor",
}


def check_method(ctx: CallContext, module: Instance, name: str) -> None:
    """Report ``module.half()`` and similar methods."""
    if name in _REFUSED and ctx.frame.mode.tracing and module.pre_existing:
        ctx.emit("module-state", name, (_REFUSED[name],), likely=True)


def check_init(ctx: CallContext, instance: Instance) -> None:
    """Report ``super().__init__()`` of ``nn.Module`` on a module that the region did not make."""
    if ctx.frame.mode.tracing and instance.pre_existing and is_nn_module(instance):
        ctx.emit("module-state", "__init__", ("unsupported-super-init-call",))


def check_buffer(interp: Interpreter, module: Instance, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report ``module.name = nn.Buffer(...)`` in the region.

    The test of ``Module.__setattr__`` for a buffer breaks (torch/nn/modules/module.py).
    """
    if frame.mode.tracing and is_nn_module(module) and any(_is_new_buffer(v) for v in members(value)):
        cause = "unsupported-python-type-call" if module.pre_existing else "unexpected-type-in-sourceless-builder"
        interp.emit(frame, node, "module-state", "buffer", (cause,))


def _is_new_buffer(value: Value) -> bool:
    return isinstance(value, Tensor) and value.grad_provenance == "buffer"


def check_init_by_python(interp: Interpreter, function: Function, frame: Frame) -> None:
    """Note the break at ``super().__init__()`` in the ``__init__`` of a module that the region makes.

    It happens if Python makes the module, after a break in ``__init__`` or where the calling function runs eagerly.
    Dynamo then compiles ``__init__`` as a function of its own, and cannot take the module as an input before
    ``super().__init__()`` has run.
    """
    mode = frame.mode
    if not mode.tracing or mode.fullgraph or mode.error_on_break or mode.in_higher_order_op:
        return
    node, owner = function.node, function.owner
    if isinstance(node, ast.Lambda) or node.name != "__init__" or owner is None or not node.args.args:
        return
    module = frame.variables.get(node.args.args[0].arg)
    if not isinstance(module, Instance) or module.pre_existing or not is_nn_module(module):
        return
    for statement in node.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "__init__":
            by_python.note(interp, frame, call, "module-state", ("uninitialized-nn-module",))
            return
