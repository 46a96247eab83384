"""Changes of modules from outside the region in compiled code: initialising, casting, loading weights."""

from __future__ import annotations

from gblint.interp.state.call_context import CallContext
from gblint.values.objects import Instance, is_nn_module

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
