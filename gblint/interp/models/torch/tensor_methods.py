"""Methods of tensors, and the events and values of facts about operators."""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.interp.domain import dtypes, unbacked_symints
from gblint.interp.domain.builtin_names import DATA_POINTER
from gblint.interp.models.fact_results import family_of
from gblint.interp.models.numpy import numpy_functions
from gblint.interp.models.torch import (
    autograd_calls,
    captured_functions,
    operand_checks,
    scalar_arguments,
    tensor_hooks,
    tensor_subclasses,
)
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.events import Emission
from gblint.knowledge.facts import Fact
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import FALSE, NONE, STR, TRUE, UNKNOWN, Const, Scalar, Tensor, Unknown, Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import element
from gblint.values.objects import ExternalName, ExternalObject

_TO_PYTHON = {
    "item",
    "tolist",
    "is_nonzero",
    "__int__",
    "__float__",
    "__bool__",
    "__index__",
    "__complex__",
    "__round__",
}
# Casts to integers narrower than int64, whose values Dynamo does not guard on.
_NARROW = frozenset(("int", "short", "char"))
_CASTS = {
    "float": "float",
    "double": "float",
    "half": "float",
    "bfloat16": "float",
    "int": "int",
    "long": "int",
    "short": "int",
    "char": "int",
    "bool": "bool",
    "byte": "uint8",
    "cfloat": "complex",
}
# The position of the size in NumPy's random functions, if it is not the first.
_SIZE_POSITIONS = {"numpy.random.uniform": 2, "numpy.random.normal": 2, "numpy.random.randint": 2}
# Methods whose result has one element if the tensor has one; Dynamo knows it if it knows that of the tensor
# (``FakeTensor.constant``).
_KEEP_ELEMENT = frozenset(
    "to type type_as view reshape squeeze unsqueeze flatten ravel expand "
    "sum mean prod max min amax amin new_tensor".split()
)
_VIEWS = frozenset("view view_as t transpose permute squeeze unsqueeze detach narrow select expand movedim".split())


def may_be_tensor(value: Value) -> bool:
    """Return whether a tensor is among the alternatives of ``value``."""
    return any(isinstance(member, Tensor) for member in members(value))


def tensor_in(value: Value) -> Tensor | None:
    """Return the tensor in ``value``, or among the items of a sequence in it."""
    for member in members(value):
        if isinstance(member, Tensor):
            return member
        if isinstance(member, Seq):
            for item in members(element(member)):
                if isinstance(item, Tensor):
                    return item
    return None


def is_folded_float(value: Value) -> bool:
    """Return whether ``value`` is a NumPy float that Dynamo knows while it traces."""
    return isinstance(value, Tensor) and value.ndarray and value.constant and value.dtype == "float"


def sizes_with_tensor(args: Args, skip: int) -> Tensor | None:
    """Return a tensor among the numeric arguments of an operator, after the first ``skip`` positional ones."""
    for value in (*args.pos[skip:], *args.kw.values()):
        found = tensor_in(value)
        if found is not None:
            return found
    return None


def _tensor_of_repeats(receiver: Tensor | None, args: Args) -> Tensor | None:
    """Return the tensor that tells ``repeat_interleave`` how often to repeat each item; None if it is a number."""
    alone = receiver is None and len(args.pos) == 1 and "repeats" not in args.kw
    repeats = args.pos[0] if alone else args.get(1 - (receiver is not None), "repeats")
    return None if repeats is None else tensor_in(repeats)


def holds(fact: Fact, receiver: Tensor | None, args: Args, name: str = "") -> bool:
    """Return whether a call of ``name`` meets the condition of a fact."""
    when = fact.when
    if not when:
        return True
    count = len(args.pos) + (receiver is not None)
    skip = 0 if receiver is not None else 1
    if when == "one-arg":
        return count == 1 and not args.kw and args.star is None
    if when == "input":
        return receiver is not None and receiver.is_input
    if when == "intermediate":
        return receiver is not None and not receiver.is_input
    if when == "no-num-classes":
        given = args.get(1 - (receiver is not None), "num_classes")
        return given is None or given == Const(-1)
    if when == "tensor-repeats":
        return "output_size" not in args.kw and _tensor_of_repeats(receiver, args) is not None
    if when in ("tensor-sections", "tensor-arg"):
        return sizes_with_tensor(args, skip if when != "tensor-arg" else 0) is not None
    if when == "scalar-size":
        return args.star is None and (args.get(_SIZE_POSITIONS.get(name, 0), "size") or NONE) == NONE
    if when == "no-endpoint":
        return args.get(3, "endpoint") == Const(False)
    return False


def is_read(receiver: Tensor, name: str) -> bool:
    """Return whether ``item`` returns the number of a NumPy scalar that Dynamo has."""
    return name == "item" and dtypes.is_known_number(receiver)


def report(ctx: CallContext, fact: Fact, name: str, receiver: Tensor | None) -> None:
    """Emit the event of a fact about the operator ``name``."""
    if not fact.breaks or not ctx.frame.mode.tracing or not holds(fact, receiver, ctx.args, name):
        return
    about: Value | None = receiver
    last = name.rpartition(".")[2]
    if fact.effect == "dynamic-shape":
        repeats = _tensor_of_repeats(receiver, ctx.args) if fact.when == "tensor-repeats" else None
        ctx.emit("dynamic-shape", name, fact.gb_ids, about=about, likely=repeats is not None and not repeats.proven)
        return
    if fact.effect == "data-dependent" and ctx.frame.mode.keeps_scalars:
        if last == "tolist" and receiver is not None and receiver.dtype in ("float", "complex"):
            ctx.emit("tensor-to-python", last, ("tensor-tolist-with-non-integer-tensor",), about=about)
        return
    if last in _TO_PYTHON and receiver is not None and (is_folded_float(receiver) or is_read(receiver, last)):
        return
    if last in _TO_PYTHON:
        numpy = receiver is not None and receiver.ndarray
        ctx.emit("tensor-to-python", "numpy-scalar" if numpy else last.strip("_"), fact.gb_ids, about=about)
    elif fact.when in ("tensor-arg", "tensor-sections"):
        tensor = sizes_with_tensor(ctx.args, 0 if receiver is not None else 1) or about
        if fact.when == "tensor-sections":
            ctx.emit("data-dependent-op", name, fact.gb_ids, about=tensor)
        else:
            ctx.emit("tensor-to-python", "scalar-arg", fact.gb_ids, about=tensor)
    elif fact.effect == "data-dependent":
        ctx.emit("data-dependent-op", name, fact.gb_ids, about=about)
    elif last == "backward" or name.startswith("torch.autograd."):
        ctx.emit("autograd", name, fact.gb_ids, about=about)
    else:
        category = Category.COMPILE_ERROR if fact.effect == "error" else Category.GRAPH_BREAK
        of_tensor = receiver is not None and not receiver.ndarray
        kind, subject = ("tensor-method", last) if of_tensor else ("call", name)
        # Dynamo traces the source of SciPy down to its compiled parts, and some functions have none.
        guessed = name.startswith("scipy.") and not name.startswith("scipy.special.")
        ctx.emit_event(Emission(kind, subject, fact.gb_ids, about, guessed, category))


UNIQUE = frozenset(("unique", "unique_consecutive"))


def unique(value: Tensor, source: Tensor, args: Args) -> Value:
    """Return the result of ``unique``: the elements, and on request their positions and counts."""
    if value.ndarray:
        return value
    along = args.kw.get("dim", NONE)
    if along != NONE:
        value = Tensor(source.rank, value.dtype, value.proven)
    parts: list[Value] = [value]
    for flag, rank in (("return_inverse", source.rank if along == NONE else 1), ("return_counts", 1)):
        asked = args.kw.get(flag, FALSE)
        if asked == TRUE:
            parts.append(Tensor(rank, "int", value.proven))
        elif asked != FALSE:
            return UNKNOWN
    return value if len(parts) == 1 else Seq("tuple", tuple(parts))


def is_unbound_view(ctx: CallContext, tensor: Tensor, name: str) -> bool:
    """Report ``torch.Tensor.unsqueeze_(x, 0)`` on an input, which has another cause than ``x.unsqueeze_(0)``."""
    last = name.rpartition(".")[2]
    knowledge = ctx.interp.knowledge
    fact = knowledge.tensor_method(last)
    if tensor.ndarray or fact is None or fact.gb_ids != knowledge.gb_ids("unsupported-function-call-delayed"):
        return False
    if not holds(fact, tensor, Args()):
        return False
    ctx.emit("tensor-method", last, ("inplace-op-on-input-tensor",), about=tensor)
    return True


def call_method(ctx: CallContext, receiver: Tensor, name: str) -> Value:
    """``tensor.name(...)``."""
    knowledge = ctx.interp.knowledge
    fact = knowledge.ndarray_method(name) if receiver.ndarray else knowledge.tensor_method(name)
    if fact is None:
        # All methods of tensors are known: a value with another method is not a tensor.
        return UNKNOWN
    if not _report_call(ctx, fact, receiver, name):
        return receiver
    if name == "as_subclass":
        return tensor_subclasses.as_subclass(ctx, receiver)
    if name == "register_hook":
        return tensor_hooks.register(ctx, receiver)
    simple = _shape_or_cast(ctx, receiver, name)
    if simple is not None:
        return simple
    if name in ("to", "type", "astype"):
        value: Value = _converted(receiver, ctx.args)
    else:
        value = ctx.interp.value_of_returns(fact.returns, receiver, ctx.args, ctx.frame)
    if receiver.constant and not receiver.ndarray and name in _KEEP_ELEMENT and isinstance(value, Tensor):
        return replace(value, constant=True)
    if name == "detach" and isinstance(value, Tensor):
        value = replace(value, grad_provenance="", requires_grad=False)
    if name == "requires_grad_" and not receiver.ndarray and not ctx.frame.mode.tracing:
        return autograd_calls.set_outside(ctx, receiver)
    if name in UNIQUE and isinstance(value, Tensor):
        return unbacked_symints.marked(unique(value, receiver, ctx.args), ctx.frame)
    if fact.effect == "dynamic-shape" and holds(fact, receiver, ctx.args, name):
        return unbacked_symints.marked(value, ctx.frame)
    if receiver.operand_id and name in _VIEWS and isinstance(value, Tensor):
        return replace(value, operand_id=receiver.operand_id)
    return value


def _report_call(ctx: CallContext, fact: Fact, receiver: Tensor, name: str) -> bool:
    """Report what Dynamo does not support in a method call; return false if an argument has no operator."""
    prefix = "numpy.ndarray" if receiver.ndarray else "torch.Tensor"
    mode = ctx.frame.mode
    if name == "requires_grad_" and not receiver.ndarray:
        autograd_calls.require(ctx, receiver)
    elif name == "backward" and mode.config.trace_autograd and mode.tracing:
        autograd_calls.backward(ctx, receiver)
    elif not receiver.ndarray and operand_checks.check_method(ctx, receiver, name):
        return False
    elif not tensor_hooks.is_banned(ctx.frame, name):
        report(ctx, fact, f"{prefix}.{name}", receiver)
    if not receiver.ndarray:
        scalar_arguments.check(ctx.with_args(ctx.args.prepend(receiver)), f"torch.Tensor.{name}")
    captured_functions.write_tensor(ctx.interp, receiver, ctx.frame, name)
    if receiver.ndarray:
        numpy_functions.check_method(ctx, receiver, name)
    else:
        numpy_functions.check_bridge(ctx, f"{prefix}.{name}", receiver)
    return True


def _shape_or_cast(ctx: CallContext, receiver: Tensor, name: str) -> Value | None:
    """Return the result of a method that casts the tensor, moves its dimensions or reads its shape; None for others."""
    interp, args = ctx.interp, ctx.args
    if name == "data_ptr" and not receiver.ndarray:
        return ExternalObject(DATA_POINTER)
    if name == "type" and args == Args() and not receiver.ndarray:
        return STR
    if name in _CASTS and not receiver.ndarray:
        constant, narrow = receiver.constant, name in _NARROW
        return Tensor(receiver.rank, _CASTS[name], receiver.proven, constant=constant, unguarded=narrow)
    if name in ("dim", "ndimension"):
        if receiver.rank is None:
            return interp.value_of_returns("int", receiver, args, ctx.frame)
        return Const(receiver.rank)
    if name == "size" and not receiver.ndarray:
        if receiver.unbacked and args.first == Const(0):
            return unbacked_symints.LENGTH
        if args.pos or args.kw:
            return Scalar("int", "size")
        return interp.value_of_returns("shape", receiver, args, ctx.frame)
    if name in ("numel", "nelement") and receiver.unbacked:
        return unbacked_symints.LENGTH
    if name in ("t", "transpose", "swapaxes", "swapdims") and (receiver.rank or 0) > 1 and not receiver.operand_id:
        return Tensor(receiver.rank, receiver.dtype, receiver.proven, transposed=not receiver.transposed)
    if name == "permute" and receiver.rank is not None:
        return Tensor(receiver.rank, receiver.dtype, receiver.proven)
    return None


def _converted(receiver: Tensor, args: Args) -> Tensor:
    """``x.to(...)``, ``x.type(...)``: the dtype may change, and Dynamo takes the result for a new tensor."""
    dtype = receiver.dtype
    for value in (*args.pos, *args.kw.values()):
        for member in members(value):
            if isinstance(member, Tensor):
                dtype = member.dtype
            elif isinstance(member, (ExternalName, ExternalObject)):
                if isinstance(member, ExternalObject) and member.cls == "torch.device":
                    continue
                if isinstance(member, ExternalName) and not member.name.startswith(("torch.", "numpy.")):
                    continue
                dtype = family_of(member)
            elif isinstance(member, Unknown):
                dtype = None
    return Tensor(receiver.rank, dtype, receiver.proven, False, receiver.ndarray, receiver.requires_grad)
