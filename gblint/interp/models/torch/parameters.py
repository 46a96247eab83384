"""``nn.Parameter`` and ``nn.Buffer``, also made in the region."""

from __future__ import annotations

from typing import Literal

from gblint.interp.models.torch import tensor_subclasses
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import FALSE, NONE, TRUE, Tensor, Unknown, Value, members
from gblint.values.objects import ExternalObject, Instance


def parameter(ctx: CallContext) -> Value:
    """``nn.Parameter(data, requires_grad)``, as ``call_nn_parameter`` (torch/_dynamo/variables/torch.py)."""
    if ctx.frame.mode.tracing:
        _check(ctx)
    data, given = ctx.args.get(0, "data"), ctx.args.get(1, "requires_grad")
    if data is not None and tensor_subclasses.is_subclass(data):
        return data
    made = replace(_belonging(ctx.args, None if given not in (None, TRUE, FALSE) else given != FALSE), unguarded=True)
    return replace(made, is_input=False) if ctx.frame.mode.tracing and not _is_source(ctx.args) else made


def buffer(ctx: CallContext) -> Value:
    """``nn.Buffer(data)``."""
    made = _belonging(ctx.args, None)
    return replace(made, grad_provenance="buffer") if ctx.frame.mode.tracing else made


def _is_source(args: Args) -> bool:
    return any(isinstance(v, Tensor) and v.is_input for v in members(args.get(0, "data") or NONE))


def _belonging(args: Args, requires_grad: bool | None) -> Tensor:
    data = args.get(0, "data")
    known = data if isinstance(data, Tensor) and not data.ndarray else Tensor()
    history: Literal["", "parameter"] = "parameter" if requires_grad else ""
    return replace(known, is_input=True, constant=False, requires_grad=requires_grad, grad_provenance=history)


def _check(ctx: CallContext) -> None:
    data = ctx.args.get(0, "data") or NONE
    if ctx.frame.mode.export:
        ctx.emit("construct", "parameter", ("nn-parameter-with-export",))
        return
    if any(isinstance(v, Tensor) for v in members(ctx.args.get(1, "requires_grad") or TRUE)):
        ctx.emit("construct", "parameter", ("nn-parameter-with-non-constant-requires-grad",))
        return
    found = members(data)
    if not any(isinstance(v, (Tensor, Unknown, ExternalObject, Instance)) for v in found):
        ctx.emit("construct", "parameter", ("nn-parameter-with-unsupported-data-type",))
    elif any(isinstance(v, Tensor) and v.is_input for v in found):
        return
    elif ctx.frame.mode.config.parameter_breaks:
        ctx.emit("construct", "parameter", ("nn-parameter-constructor-with-dynamo",))
    elif any(tensor_subclasses.is_subclass(v) for v in found):
        ctx.emit("construct", "parameter", ("nn-parameter-constructor-with-tensor-subclass",))
    elif ctx.frame.mode.dynamic:
        ctx.emit("construct", "parameter", ("nn-parameter-with-non-constant-attributes",), likely=True)


HANDLERS: dict[str, Handler] = {"torch.nn.Parameter": parameter, "torch.nn.Buffer": buffer}
