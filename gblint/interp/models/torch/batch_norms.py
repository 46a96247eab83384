"""Batch normalization with ``momentum=None``, which averages over all batches and reads how many there were."""

from __future__ import annotations

from typing import Final

from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.values.base import FALSE, NONE
from gblint.values.objects import Instance

_CLASSES: Final = frozenset(f"torch.nn.{n}" for n in ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"))


def fill(instance: Instance, names: tuple[str, ...], args: Args) -> None:
    """Set the attributes that decide whether ``forward`` reads the number of batches."""
    if not _CLASSES.isdisjoint(names):
        for position, name in ((2, "momentum"), (4, "track_running_stats")):
            given = args.get(position, name)
            if given is not None:
                instance.attrs.setdefault(name, given)


def check_call(ctx: CallContext, instance: Instance, name: str) -> None:
    """Report a call that reads ``num_batches_tracked``, in training only (torch/nn/modules/batchnorm.py)."""
    attributes = instance.attrs
    if name in _CLASSES and attributes.get("momentum") == NONE and attributes.get("track_running_stats") != FALSE:
        if attributes.get("training") != FALSE:
            ctx.emit("tensor-to-python", "batch-count", ("tensor-item-without-capture-scalar-outputs",), likely=True)
