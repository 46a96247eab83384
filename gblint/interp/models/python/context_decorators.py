"""Functions decorated with a context manager: Dynamo inlines the wrapper, and cannot enter the manager that it gets.

The call breaks the graph; the decorated function is compiled on its own.
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.models.torch import dynamo_config
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Value
from gblint.values.objects import Class, Instance
from gblint.values.wrapped import ContextDecorated

# The cause with which Dynamo breaks at a call of a function under each of these.
_CAUSES: Final = {
    dynamo_config.PATCH.name: "unsupported-context-manager",
    "torch._inductor.config.patch": "unsupported-context-manager",
    "torch.random.fork_rng": "torch-op-returned-non-tensor",
    "torch.sparse.check_sparse_tensor_invariants": "torch-op-returned-non-tensor",
    **dict.fromkeys(
        (
            "numpy.errstate",
            "numpy.printoptions",
            "torch.autograd.graph.allow_mutation_on_saved_tensors",
            "torch.backends.cudnn.flags",
            "torch.backends.mkldnn.flags",
            "torch.backends.nnpack.flags",
            "torch.backends.opt_einsum.flags",
            "torch.cuda.nvtx.range",
            "torch.set_grad_enabled",
            "unittest.mock.patch",
        ),
        "call-of-skipped-function",
    ),
}
_DECORATOR: Final = "contextlib.ContextDecorator"


def under_external(interp: Interpreter, name: str, call: ast.Call | None, value: Value, frame: Frame) -> Value | None:
    """Return ``value`` under ``@name(...)``, a manager of a library; None for other decorators."""
    if call is None or name not in _CAUSES:
        return None
    settings = dynamo_config.patched_settings(interp, call, frame)
    return ContextDecorated(value, name, _CAUSES[name], tuple(sorted(settings.items())))


def under_instance(interp: Interpreter, manager: Instance, value: Value) -> Value | None:
    """Return ``value`` under an object that has the ``__call__`` of ``ContextDecorator``; None for any other object."""
    if not isinstance(manager.cls, Class) or interp.class_attribute(manager.cls, "__call__") is not None:
        return None
    if manager.cls.inherits(_DECORATOR):
        return ContextDecorated(value, manager.class_name, "unsupported-context-manager")
    return None


def call(ctx: CallContext, function: ContextDecorated) -> Value:
    """Call a decorated function: the call breaks, unless it is that of the entry point."""
    if ctx.frame.function is not None:
        ctx.emit("context-manager", "decorator", (function.cause,))
    mode = ctx.frame.mode
    ctx.frame.mode = dynamo_config.entered(mode, function.settings)
    try:
        return ctx.call(function.function, ctx.args)
    finally:
        ctx.frame.mode = mode
