"""Functions and classes that return the module they are given, perhaps wrapped.

Wrappers are for training on several devices: outside of the region a wrapped module stands for the module in it, which
is what Dynamo traces.  Functions that normalise, prune or fuse weights change the module: Dynamo traces its forward
with the pre-hooks and parametrizations that they add.
"""

from __future__ import annotations

from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import UNKNOWN, Unknown, Value, members
from gblint.values.lattice import join_all
from gblint.values.objects import ExternalName, Instance, is_nn_module

# Classes whose instances hold the module as ``module``.
_CLASSES = (
    "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel",
    "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.parallel.distributed.DistributedDataParallel",
    "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel",
    "torch.optim.swa_utils.AveragedModel",
)
# Functions that change their first argument and return it.
_FUNCTIONS = (
    "torch.distributed.fsdp.fully_shard",
    "torch.distributed._composable.fsdp.fully_shard",
    "torch.distributed._composable.replicate.replicate",
    "torch.distributed._composable.replicate",
    "torch.distributed._composable.checkpoint_activation.checkpoint",
    "torch.distributed.tensor.parallel.parallelize_module",
    "torch.distributed.tensor.parallel.api.parallelize_module",
    "torch.distributed.tensor.distribute_module",
    "torch.distributed.algorithms._checkpoint.checkpoint_wrapper.checkpoint_wrapper",
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
    "torch.nn.modules.batchnorm.SyncBatchNorm.convert_sync_batchnorm",
    *(
        f"torch.nn.utils.{place}"
        for function in ("weight_norm", "spectral_norm", "remove_weight_norm", "remove_spectral_norm")
        for place in (function, f"{function.removeprefix('remove_')}.{function}")
    ),
    *(
        f"torch.nn.utils.{place}{function}"
        for function in ("fuse_conv_bn_eval", "fuse_linear_bn_eval")
        for place in ("", "fusion.")
    ),
    *(
        f"torch.nn.utils.{place}convert_{kind}_weight_memory_format"
        for kind in ("conv2d", "conv3d")
        for place in ("", "memory_format.")
    ),
    *(f"torch.nn.utils.parametrizations.{each}" for each in ("weight_norm", "spectral_norm", "orthogonal")),
    *(f"torch.nn.utils.parametrize.{each}_parametrization{s}" for each, s in (("register", ""), ("remove", "s"))),
    *(
        f"torch.nn.utils.prune.{each}"
        for each in (
            "identity",
            "random_unstructured",
            "l1_unstructured",
            "random_structured",
            "ln_structured",
            "custom_from_mask",
            "remove",
        )
    ),
    *(
        f"{package}.{function}"
        for package in ("torch.ao.quantization", "torch.quantization")
        for function in ("fuse_modules", "fuse_modules_qat", "prepare", "prepare_qat")
    ),
)


def unwrapped(value: Value) -> Value:
    """Return the module inside wrappers; any other value unchanged."""
    found = [_inner(member) for member in members(value)]
    return value if all(a is b for a, b in zip(found, members(value))) else join_all(found)


def _inner(value: Value) -> Value:
    while isinstance(value, Instance) and is_wrapper(value) and "module" in value.attrs:
        value = value.attrs["module"]
    return value


def is_wrapper(value: Instance) -> bool:
    """Return whether an object is a wrapper of a module."""
    return value.cls in _NAMES


def _construct(name: str) -> Handler:
    def handler(ctx: CallContext) -> Value:
        module = ctx.args.get(0, "module")
        made = Instance(ExternalName(name), branch_id=ctx.interp.branch_id, pre_existing=not ctx.frame.mode.tracing)
        if module is not None and any(is_nn_module(v) or isinstance(v, Unknown) for v in members(module)):
            made.attrs.update({"module": module, "forward": module})
        return made

    return handler


def _returns_module(ctx: CallContext) -> Value:
    return ctx.args.get(0, "module") or UNKNOWN


def _skip_init(ctx: CallContext) -> Value:
    """Make the module without setting its weights: ``skip_init(nn.Linear, 3, 3)``."""
    return ctx.call(ctx.args.first, ctx.args.drop(1)) if ctx.args.pos else UNKNOWN


_NAMES = frozenset(map(ExternalName, _CLASSES))
HANDLERS: dict[str, Handler] = {name: _construct(name) for name in _CLASSES}
# In a region the facts about these functions count.
EAGER_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_FUNCTIONS, _returns_module),
    "torch.nn.utils.skip_init": _skip_init,
    "torch.nn.utils.init.skip_init": _skip_init,
}
