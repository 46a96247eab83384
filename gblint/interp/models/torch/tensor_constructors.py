"""Functions that make tensors from Python data."""

from __future__ import annotations

from gblint.interp.domain import dtypes
from gblint.interp.models.fact_results import family_of
from gblint.interp.models.python import (
    type_tests,
)
from gblint.interp.models.torch import (
    hard_errors,
)
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import (
    BOOL,
    NONE,
    UNKNOWN,
    Const,
    Tensor,
    Value,
    members,
)
from gblint.values.containers import Seq
from gblint.values.objects import ExternalName


def is_tensor(ctx: CallContext) -> Value:
    """``torch.is_tensor``."""
    answer = type_tests.is_instance(ctx.interp, ctx.args.first, ExternalName("torch.Tensor"))
    return BOOL if answer is None else Const(answer)


def check_all(ctx: CallContext) -> Value:
    """``torch._check_tensor_all(t)`` reads ``t.all()``."""
    if any(isinstance(v, Tensor) for v in members(ctx.args.first)):
        ctx.emit(
            "data-dependent-branch", "check", ("tensor-item-without-capture-scalar-outputs",), about=ctx.args.first
        )
    return NONE


def tensor_from(ctx: CallContext) -> Value:
    """``torch.tensor``, ``as_tensor``, ``from_numpy``: rank and dtype of the data."""

    value = ctx.args.first
    dtype, rank = _shape_of(value, 0)
    given = ctx.args.get(1, "dtype")
    if given is not None and given != NONE:
        dtype = family_of(given)
    narrow = isinstance(given, ExternalName) and dtypes.is_narrow(given.name)
    constant = (_is_one_number(value) and ctx.frame.mode.tracing) or (isinstance(value, Tensor) and value.constant)
    return Tensor(rank, dtype, True, constant=constant, unguarded=narrow)


def _is_one_number(value: Value) -> bool:
    """Return whether a tensor made of ``value`` has one element, a number of Python: Dynamo keeps no larger contents.

    See CONSTANT_NUMEL_LIMIT in torch/_subclasses/fake_tensor.py.
    """
    while isinstance(value, Seq) and value.items is not None and len(value.items) == 1:
        value = value.items[0]
    return dtypes.is_number(value)


def _of_class(dtype: str) -> Handler:
    """Return the handler of ``torch.IntTensor`` and the like: a list is the data, numbers are the size."""

    def handler(ctx: CallContext) -> Value:
        data = ctx.args.first if len(ctx.args.pos) == 1 else UNKNOWN
        if not isinstance(data, Seq) or data.cls not in ("list", "tuple"):
            return Tensor(dtype=dtype)
        made = tensor_from(ctx.with_args(Args((data,))))
        return replace(made, dtype=dtype) if isinstance(made, Tensor) else made

    return handler


def tensor_read(name: str) -> Handler:
    """``torch.as_tensor`` and ``torch.asarray``, which read their argument."""

    def handler(ctx: CallContext) -> Value:
        hard_errors.check_data(ctx, name, ctx.args.get(0, "data") or UNKNOWN)
        return tensor_from(ctx)

    return handler


def made_for_tests(ctx: CallContext) -> Value:
    """``torch.testing.make_tensor``: it sets ``requires_grad`` of floating-point tensors, which Dynamo refuses."""
    dtype = family_of(ctx.args.kw.get("dtype", UNKNOWN))
    if dtype in ("float", "complex"):
        ctx.emit("tensor-attribute", "requires_grad=", ("setattr-on-tensor-requires-grad",))
    return Tensor(None, dtype)


def _shape_of(value: Value, depth: int) -> tuple[str | None, int | None]:
    found = [v for v in members(value) if v != NONE]
    if len(found) != 1 or depth > 4:
        return None, None
    value = found[0]
    if isinstance(value, Tensor):
        return value.dtype, value.rank
    kind = dtypes.number_kind(value)
    if kind is not None:
        return (None if kind == "number" else kind), 0
    if isinstance(value, Seq):
        parts = [_shape_of(v, depth + 1) for v in (value.items if value.items is not None else (value.rest,))]
        if not parts:
            return None, 1
        families, ranks = {d for d, _ in parts}, {r for _, r in parts}
        rank = ranks.pop() if len(ranks) == 1 else None
        return families.pop() if len(families) == 1 else None, None if rank is None else rank + 1
    return None, None


HANDLERS: dict[str, Handler] = {
    "torch._check_tensor_all": check_all,
    "torch._check_tensor_all_with": lambda ctx: check_all(ctx.with_args(ctx.args.drop(1))),
    "torch.is_tensor": is_tensor,
    "torch.tensor": tensor_from,
    "torch.IntTensor": _of_class("int"),
    "torch.LongTensor": _of_class("int"),
    "torch.as_tensor": tensor_read("torch.as_tensor"),
    "torch.asarray": tensor_read("torch.asarray"),
    "torch.from_numpy": tensor_from,
    "torch.overrides.is_tensor_like": is_tensor,
    "torch.testing.make_tensor": made_for_tests,
}
