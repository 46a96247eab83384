"""Results of external calls, from the ``returns`` texts of facts."""

from __future__ import annotations

from gblint.interp.domain import unbacked_symints
from gblint.interp.domain.dtypes import dtype_family, is_number, promote
from gblint.interp.models.torch import autograd_calls
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.knowledge.returns import (
    ConstSpec,
    EitherSpec,
    NameSpec,
    ReturnSpec,
    ScalarSpec,
    SequenceSpec,
    TensorSpec,
    TupleSpec,
    parse_returns,
)
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import (
    FALSE,
    NONE,
    SIZE,
    TRUE,
    UNKNOWN,
    Const,
    Scalar,
    Tensor,
    Value,
    members,
)
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import ExternalName, ExternalObject

# The values of ``reduction`` that make the losses of all items one number, and the one that keeps them apart.
_REDUCTIONS = tuple(map(Const, ("mean", "sum", "batchmean")))
_UNREDUCED = Const("none")


def value_of_returns(interp: Interpreter, text: str, receiver: Value | None, args: Args, frame: Frame) -> Value:
    """Return the result of a function whose fact has ``returns: text``.

    receiver: the receiver of a method, None for a function.
    """
    if text == "unknown":
        return UNKNOWN
    return _value(parse_returns(text), receiver, args, frame)


def _value(spec: ReturnSpec, receiver: Value | None, args: Args, frame: Frame) -> Value:
    if isinstance(spec, TensorSpec):
        made = autograd_calls.made(_tensor(spec, receiver, args), receiver, args, frame)
        # A quantized tensor can be made in the region, but cannot be an input of it.
        return made if spec.layout == "quantized" and frame.mode.tracing else replace(made, layout=spec.layout)
    if isinstance(spec, TupleSpec):
        return Seq("tuple", tuple(_value(s, receiver, args, frame) for s in spec.items))
    if isinstance(spec, SequenceSpec):
        return Seq(spec.kind, None, _value(spec.item, receiver, args, frame))
    if isinstance(spec, ConstSpec):
        return Const(spec.value)
    if isinstance(spec, EitherSpec):
        count = len(args.pos) + (receiver is not None)
        if isinstance(spec.with_dim, TupleSpec) and (both := _elementwise(receiver, args)) is not None:
            return both
        no_dim = count <= 1 and not ({"dim", "axis", "dims", "other"} & args.kw.keys())
        return _value(spec.no_dim if no_dim else spec.with_dim, receiver, args, frame)
    if isinstance(spec, ScalarSpec):
        kind = _item(receiver) if spec.kind == "data-item" else spec.kind
        known = kind.startswith("data-") and receiver is not None and unbacked_symints.is_guarded(receiver)
        return _scalar("int" if known else kind, frame)
    return _named(spec, receiver, args, frame)


def _elementwise(receiver: Value | None, args: Args) -> Value | None:
    """Return the tensor that ``torch.max(a, b)`` returns for two tensors; None for other arguments."""
    operands = [*(() if receiver is None else (receiver,)), *args.pos, *(v for k, v in args.kw.items() if k == "other")]
    if len(operands) != 2 or not all(isinstance(each, Tensor) for each in operands):
        return None
    one, other = (each for each in operands if isinstance(each, Tensor))
    rank = None if one.rank is None or other.rank is None else max(one.rank, other.rank)
    return Tensor(rank, one.dtype if one.dtype == other.dtype else None, one.proven and other.proven)


def _item(receiver: Value | None) -> str:
    """Return the kind of Python number of a tensor's items."""
    dtype = receiver.dtype if isinstance(receiver, Tensor) else None
    return f"data-{'int' if dtype == 'uint8' else dtype or 'number'}"


def _scalar(kind: str, frame: Frame) -> Value:
    if kind == "size":
        return SIZE
    if kind.startswith("data-"):
        base = kind[5:]
        return Scalar(base, "data" if frame.mode.tracing and frame.mode.keeps_scalars else "python")  # type: ignore[arg-type]
    return Scalar(kind)  # type: ignore[arg-type]


def _named(spec: NameSpec, receiver: Value | None, args: Args, frame: Frame) -> Value:
    name = spec.name
    if name == "self":
        return UNKNOWN if receiver is None else receiver
    if name == "arg0":
        return args.pos[0] if args.pos else receiver if receiver is not None else UNKNOWN
    if name == "shape":
        tensor = _first_tensor(receiver, args)
        return unbacked_symints.shape(tensor or Tensor())
    if name in ("dtype", "device", "layout"):
        return ExternalObject(f"torch.{name}")
    if name == "np-scalar":
        return Tensor(0, None, True, False, True)
    simple: dict[str, Value] = {
        "dict": Mapping((), UNKNOWN),
        "list": Seq("list", None),
        "tuple": Seq("tuple", None),
        "set": Seq("set", None),
        "iterator": Iterator("iterator", UNKNOWN, not frame.mode.tracing),
        "generator": Iterator("generator", UNKNOWN, not frame.mode.tracing),
        "unknown": UNKNOWN,
        "object": UNKNOWN,
        "module": UNKNOWN,
        "function": UNKNOWN,
        "type": UNKNOWN,
    }
    if name in simple:
        return simple[name]
    return ExternalObject(name, pre_existing=not frame.mode.tracing) if "." in name else UNKNOWN


def _first_tensor(receiver: Value | None, args: Args) -> Tensor | None:
    """Return the receiver or the first tensor argument, also inside a list as for ``torch.cat``."""
    for value in (*(() if receiver is None else (receiver,)), *args.pos, *args.kw.values()):
        for member in members(value):
            if isinstance(member, Tensor):
                return member
            if isinstance(member, Seq):
                inner = join_all(member.items) if member.items is not None else member.rest
                for item in members(inner):
                    if isinstance(item, Tensor):
                        return item
    return None


def _tensor(spec: TensorSpec, receiver: Value | None, args: Args) -> Tensor:
    first = _first_tensor(receiver, args)
    proven = not isinstance(receiver, Tensor) or receiver.proven
    dtype = _dtype(spec, first, receiver, args)
    constant = spec.rank in ("same", "broadcast") and _all_constant(receiver, args)
    rank = 0 if constant else _rank(spec, first, receiver, args)
    length = _length(args) if spec.rank == "size" else None
    captured = first is not None and first.unbacked and spec.rank in ("same", "broadcast")
    return Tensor(rank, dtype, proven, False, spec.ndarray, constant=constant, length=length, unbacked=captured)


def _length(args: Args) -> int | None:
    """Return the first requested size, if it is a number."""
    first = next(iter(_sizes(None, args)), None)
    if isinstance(first, Seq):
        first = first.items[0] if first.items else None
    size = first.value if isinstance(first, Const) else None
    return size if isinstance(size, int) and size >= 0 else None


def _all_constant(receiver: Value | None, args: Args) -> bool:
    """Return whether all operands are Python numbers or tensors made of them."""

    operands = _operands(receiver, args)
    known = all(v.constant if isinstance(v, Tensor) else is_number(v) for o in operands for v in members(o))
    return bool(operands) and known and args.star is None


def _dtype(spec: TensorSpec, first: Tensor | None, receiver: Value | None, args: Args) -> str | None:
    given = args.kw.get("dtype")
    if given is not None and given != NONE:
        return family_of(given)
    if spec.dtype == "same":
        viewed = _viewed_dtype(args) if spec.rank == "size" else None
        return viewed or (None if first is None else first.dtype)
    if spec.dtype == "number":
        return None if first is None else "int" if first.dtype in ("bool", "uint8") else first.dtype
    if spec.dtype == "promote":
        return _promoted(receiver, args)
    return spec.dtype


def _operands(receiver: Value | None, args: Args) -> list[Value]:
    return [*(() if receiver is None else (receiver,)), *args.pos]


def _promoted(receiver: Value | None, args: Args) -> str | None:
    """Return the dtype after type promotion; None unless the dtypes of all tensors are known."""

    found = [v.dtype for v in _operands(receiver, args) if isinstance(v, Tensor)]
    if not found or None in found:
        return None
    out = found[0]
    for other in found[1:]:
        assert out is not None and other is not None
        out = promote(out, other)
    return out if out in ("float", "complex") or all(not isinstance(v, (Scalar, Const)) for v in args.pos) else None


def family_of(dtype: Value) -> str | None:
    """Return the dtype family of a value such as ``torch.float16``."""

    if isinstance(dtype, ExternalName):
        return dtype_family(dtype.name)
    if isinstance(dtype, ExternalObject) and dtype.cls.startswith("torch.dtype:"):
        return dtype.cls.partition(":")[2]
    return None


def _rank(spec: TensorSpec, first: Tensor | None, receiver: Value | None, args: Args) -> int | None:
    keepdim = args.kw.get("keepdim", FALSE)
    rank = None if first is None else first.rank
    if keepdim == TRUE:
        return rank
    if isinstance(spec.rank, int):
        return None if _may_be_unreduced(args) else spec.rank
    if spec.rank == "same":
        return rank
    if spec.rank == "broadcast":
        ranks = [v.rank for v in _operands(receiver, args) if isinstance(v, Tensor)]
        known = [r for r in ranks if r is not None]
        return max(known) if known and len(known) == len(ranks) else None
    if spec.rank in ("+1", "-1") and rank is not None:
        return max(rank + int(spec.rank), 0)
    if args.star is not None:
        return None
    extra = args.pos if receiver is not None else args.pos[1:]
    if spec.rank == "flat":
        return _rank_flattened(rank, args.kw, extra)
    if spec.rank in ("reduce", "norm") and keepdim == FALSE:
        # The first further argument of ``norm`` is the order.
        return _rank_without(rank, args.kw, extra[1:] if spec.rank == "norm" else extra)
    if spec.rank == "squeeze":
        return _rank_without(rank, args.kw, extra) if extra or args.kw else None
    if spec.rank == "size":
        return rank if _viewed_dtype(args) is not None else _size_rank(receiver, args)
    return None


def _rank_flattened(rank: int | None, named: dict[str, Value], given: tuple[Value, ...]) -> int | None:
    """Return the rank after ``flatten(start_dim, end_dim)``."""
    bounds = (*given, *([named.get("start_dim", Const(0))] if not given else []))
    last = given[1] if len(given) > 1 else named.get("end_dim", Const(-1))
    start = bounds[0].value if isinstance(bounds[0], Const) else None
    end = last.value if isinstance(last, Const) else None
    if start == 0 and end == -1:
        return 1
    if rank is None or not isinstance(start, int) or not isinstance(end, int):
        return None
    joined = (end + rank if end < 0 else end) - (start + rank if start < 0 else start)
    return rank - joined if 0 <= joined < rank else None


def _rank_without(rank: int | None, named: dict[str, Value], given: tuple[Value, ...]) -> int | None:
    """Return the rank after a reduction over the dimensions that are ``named``, or the first of those ``given``."""
    dimensions = named.get("dim", named.get("axis", given[0] if given else NONE))
    if any(each != FALSE for each in given[1:]):
        return None  # one of them may be ``keepdim``
    if dimensions == NONE:
        return 0
    if isinstance(dimensions, Seq):
        count = len(dimensions.items) if dimensions.items else None
    else:
        count = 1 if isinstance(dimensions, Const) and type(dimensions.value) is int else None
    return None if rank is None or count is None else max(rank - count, 0)


def _may_be_unreduced(args: Args) -> bool:
    """Return whether a loss may have the losses of all items as its result: ``F.mse_loss(x, y, reduction="none")``."""
    if _UNREDUCED in args.pos or args.kw.get("reduce", TRUE) not in (TRUE, NONE):
        return True
    reduction = args.kw.get("reduction")
    return reduction is not None and any(each not in _REDUCTIONS for each in members(reduction))


def _viewed_dtype(args: Args) -> str | None:
    """Return the family of the dtype in ``x.view(torch.int32)``; None if sizes are given."""
    first = args.get(0, "dtype")
    return None if first is None else family_of(first)


def _sizes(receiver: Value | None, args: Args) -> list[Value]:
    """Return the sizes among the arguments, or the sequence of them."""
    named = args.kw.get("size", args.kw.get("shape"))
    if named is not None:
        return [named]
    if receiver is None and len(args.pos) > 1 and isinstance(args.pos[-1], Seq):
        return [args.pos[-1]]  # ``torch.reshape(x, shape)``, ``torch.randint(low, high, size)``
    return list(args.pos)


def _size_rank(receiver: Value | None, args: Args) -> int | None:
    """Return the rank of a tensor made with a size: the number of sizes, or the length of the sequence."""
    sizes = _sizes(receiver, args)
    if args.star is not None:
        return None
    if len(sizes) >= 1 and isinstance(sizes[0], Seq):
        return None if sizes[0].items is None else len(sizes[0].items)
    count = 0
    for value in sizes:
        is_size = isinstance(value, Const) and isinstance(value.value, int)
        if not is_size and not isinstance(value, (Scalar, Tensor)):
            return None
        count += 1
    return count if sizes else None
