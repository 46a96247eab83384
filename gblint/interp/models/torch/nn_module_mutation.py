"""Changes of modules from outside the region in compiled code: initialising, casting, loading weights."""

from __future__ import annotations

import ast
from typing import TypeGuard

from gblint.interp.domain import by_python
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
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
    """Note the break at the first use of ``self`` in the ``__init__`` of a module that the region makes.

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
    name = node.args.args[0].arg
    module = frame.variables.get(name)
    if not isinstance(module, Instance) or module.pre_existing or not is_nn_module(module):
        return
    for statement in node.body:
        used = _first_use(statement, name)
        if used is not None:
            by_python.note(interp, frame, used, "module-state", ("uninitialized-nn-module",))
            return


def _first_use(statement: ast.stmt, name: str) -> ast.expr | None:
    """Return the expression of a statement that uses the variable ``name`` or ``super()`` first, in every run of it."""
    if isinstance(statement, (ast.If, ast.While)):
        parts = [statement.test]
    elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Assert)):
        parts = [each for each in ast_walk.children(statement) if isinstance(each, ast.expr)]
    else:
        return None
    uses = [each for part in parts for each in ast_walk.walk(part) if _is_use(each, name)]
    first = min(uses, key=lambda each: (each.lineno, each.col_offset), default=None)
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call if first is not None and isinstance(call, ast.Call) and _is_init(call) else first


def _is_init(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"


def _is_use(node: ast.AST, name: str) -> TypeGuard[ast.expr]:
    """Return whether an expression reads the variable: an attribute of it, the variable itself, or ``super()``."""
    if isinstance(node, ast.Attribute):
        return ast_walk.is_name(node.value, name)
    return ast_walk.is_name(node, name) or (isinstance(node, ast.Call) and ast_walk.is_name(node.func, "super"))
