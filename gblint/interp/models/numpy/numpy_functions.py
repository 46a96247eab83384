"""NumPy functions: those that make arrays from Python data, and calls that settings, dtypes or arguments forbid."""

from __future__ import annotations

from typing import Final, Literal

from gblint.interp.domain import dtypes
from gblint.interp.models.numpy import refused_options
from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import Const, Tensor, Unknown, Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import element
from gblint.values.objects import Class, ExternalName, ExternalObject, Instance

# These functions describe a dtype; Dynamo needs constant arguments (torch/_dynamo/variables/misc.py).
_DESCRIPTIONS = ("numpy.finfo", "numpy.iinfo", "numpy.dtype")


def refused(ctx: CallContext, name: str) -> bool:
    """Report a NumPy call that the settings or the arguments forbid; return whether there was one."""
    if not ctx.frame.mode.tracing:
        return False
    if not ctx.frame.mode.config.trace_numpy:
        ctx.emit("numpy-off", name, ("numpy-function-without-trace-numpy",))
        return True
    if ctx.frame.mode.config.numpy_stream and _is_traced_random(ctx, name):
        ctx.emit("numpy-off", name, ("numpy-random-with-numpy-random-stream",))
        return True
    refused_options.check(ctx, name)
    if _is_given_object(ctx, name):
        ctx.emit("call", f"{name}(object)", ("args-not-convertible-to-proxy",), about=ctx.args.first)
    if name in _DESCRIPTIONS and any(isinstance(v, Tensor) for v in members(ctx.args.first)):
        ctx.emit("call", name, ("numpy-constant-collection-with-non-constant-arguments",), about=ctx.args.first)
        return True
    return False


def _is_given_object(ctx: CallContext, name: str) -> bool:
    """Return whether a traced function gets an object as its data, alone or in a sequence: no graph can hold it."""
    fact = ctx.interp.knowledge.function(name)
    if not ctx.args.pos or name in _DESCRIPTIONS or (fact is not None and fact.breaks):
        return False
    data = ctx.args.pos[0]
    parts = [element(each) if isinstance(each, Seq) and each.items is None else each for each in members(data)]
    items = [item for part in parts for item in ((part.items or ()) if isinstance(part, Seq) else (part,))]
    return any(_is_object(item) for item in items) and not any(isinstance(each, Unknown) for each in items)


def _is_object(value: Value) -> bool:
    """Return whether a value is an image, a dataframe or an object of a class that is not a sequence."""
    if isinstance(value, ExternalObject):
        return value.cls.startswith(("PIL.Image.", "pandas.")) and value.cls.rpartition(".")[2][:1].isupper()
    if not isinstance(value, Instance) or not isinstance(value.cls, Class) or "__items__" in value.attrs:
        return False
    return not value.cls.inherits("torch.Tensor")


_MAKERS = frozenset(f"numpy.{name}" for name in ("array", "asarray", "empty", "full", "ones", "zeros"))
_NO_DTYPES = (ExternalName("builtins.object"), ExternalName("builtins.str"))


def of_objects(ctx: CallContext, name: str) -> Value | None:
    """Return an array of objects or strings, for which torch has no dtype; None if the call makes another array."""
    if not ctx.frame.mode.tracing or name not in _MAKERS:
        return None
    if ctx.args.get(2 if name == "numpy.full" else 1, "dtype") not in _NO_DTYPES:
        return None
    ctx.emit("call", f"{name}(dtype=object)", ("args-not-convertible-to-proxy",))
    return Tensor(ndarray=True, layout="object")


def _is_traced_random(ctx: CallContext, name: str) -> bool:
    if not name.startswith("numpy.random."):
        return False
    knowledge = ctx.interp.knowledge
    fact = knowledge.function(name)
    return fact is not None and fact.gb_ids in ((), knowledge.gb_ids("data-dependent-operator"))


def check_bridge(ctx: CallContext, name: str, about: Value | None = None) -> None:
    """Report ``Tensor.numpy`` and ``torch.from_numpy`` without ``trace_numpy``."""
    if ctx.frame.mode.tracing and not ctx.frame.mode.config.trace_numpy:
        causes = {
            "torch.Tensor.numpy": "tensor-numpy-without-trace-numpy",
            "torch.from_numpy": "from-numpy-without-trace-numpy",
        }
        if name in causes:
            ctx.emit("numpy-off", name, (causes[name],), about=about)


def check_method(ctx: CallContext, receiver: Tensor, name: str) -> None:
    """Report ``array.astype(object)``, a dtype that torch lacks, and options that Dynamo refuses."""
    refused_options.check(ctx, f"numpy.ndarray.{name}")
    if name == "astype" and ctx.args.get(0, "dtype") in (ExternalName("builtins.object"), Const("O")):
        ctx.emit("call", "numpy.ndarray.astype", ("ndarray-astype-object",), about=receiver)


def array(ctx: CallContext) -> Value:
    """``numpy.array``, ``asarray`` and ``ascontiguousarray``: the rank of the data."""
    value = ctx.args.first
    rank: int | None = None
    dtype: str | None = None
    if isinstance(value, Tensor):
        rank, dtype = value.rank, value.dtype
    elif isinstance(value, Seq) and value.items is not None:
        rank = 1 if all(isinstance(v, Const) for v in value.items) else None
    elif isinstance(value, Seq):
        inner = value.rest
        rank = inner.rank + 1 if isinstance(inner, Tensor) and inner.rank is not None else None
    objects = _holds_objects(value) or ctx.args.get(1, "dtype") == ExternalName("builtins.object")
    layout: Literal["", "object"] = "object" if objects else ""
    if _holds_objects(value):
        ctx.emit("call", "numpy.array(dtype=object)", ("unsupported-fake-tensor-exception-in-fx-node",))
    number = dtypes.is_number(value)
    if number:
        rank, dtype = 0, dtypes.number_kind(value)
    given, tracing = ctx.args.get(1, "dtype"), ctx.frame.mode.tracing
    if given is not None:
        dtype = None
    narrow = dtypes.is_narrow_in_numpy(given)
    return Tensor(rank, dtype, True, not tracing, True, constant=number and tracing, layout=layout, unguarded=narrow)


def _holds_objects(value: Value) -> bool:
    """Return whether data contain strings or None, which an array can hold only as objects or strings."""
    items = value.items or () if isinstance(value, Seq) else (value,)
    return any(isinstance(v, Const) and (v.value is None or isinstance(v.value, str)) for v in items)


HANDLERS: Final[dict[str, Handler]] = {
    "numpy.array": array,
    "numpy.asarray": array,
    "numpy.ascontiguousarray": array,
}
"""The models by qualified name."""
