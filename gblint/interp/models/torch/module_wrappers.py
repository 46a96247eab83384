"""Wrappers of modules for training on several devices: data parallelism, sharding, tensor parallelism.

Outside of the region a wrapped module stands for the module in it, which is what Dynamo traces.
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
)


def unwrapped(value: Value) -> Value:
    """Return the module inside wrappers; any other value unchanged."""
    found = [_inner(member) for member in members(value)]
    return value if all(a is b for a, b in zip(found, members(value))) else join_all(found)


def _inner(value: Value) -> Value:
    while isinstance(value, Instance) and value.cls in _NAMES and "module" in value.attrs:
        value = value.attrs["module"]
    return value


def _construct(name: str) -> Handler:
    def handler(ctx: CallContext) -> Value:
        module = ctx.args.get(0, "module")
        made = Instance(ExternalName(name), branch_id=ctx.interp.branch_id, pre_existing=not ctx.frame.mode.tracing)
        if module is not None and any(is_nn_module(v) or isinstance(v, Unknown) for v in members(module)):
            made.attrs.update({"module": module, "forward": module})
        return made

    return handler


def _returns_module(ctx: CallContext) -> Value:
    if ctx.frame.mode.tracing:
        return UNKNOWN
    return ctx.args.get(0, "module") or UNKNOWN


_NAMES = frozenset(map(ExternalName, _CLASSES))
HANDLERS: dict[str, Handler] = {
    **{name: _construct(name) for name in _CLASSES},
    **dict.fromkeys(_FUNCTIONS, _returns_module),
}
