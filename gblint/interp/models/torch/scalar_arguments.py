"""Arguments that must be numbers or generators: the handling of a tensor or generator there."""

from __future__ import annotations

from collections.abc import Iterator

from gblint.interp.domain import dtypes, unbacked_symints
from gblint.interp.models.python import random_numbers
from gblint.interp.models.torch import operand_checks
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.knowledge.numbers import NumberParameter
from gblint.values.base import NONE, TRUE, UNKNOWN, Const, Scalar, Tensor, Union, Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import element, is_text_constant
from gblint.values.objects import ExternalObject

# Parameters whose value the operator needs while it is traced, so that no symbol can stand for them (torch 2.13:
# "Could not extract specialized integer from data-dependent expression").
_CONCRETE = frozenset(
    "dim dims dim0 dim1 axis axis0 axis1 dimension start_dim end_dim source destination kernel_size stride padding"
    " dilation groups chunks upscale_factor downscale_factor num_groups num_classes steps".split()
)

# The same for single operators.
_CONCRETE_OF = {
    "adaptive_avg_pool1d": "output_size",
    "adaptive_max_pool1d": "output_size",
    "bernoulli": "p",
    "diag": "diagonal",
    "diagonal": "offset",
    "histc": "bins",
    "rot90": "k",
    "split": "split_size",
    "unfold": "size step",
    "vander": "N",
}
_REPEATED = ("tile",)  # its ``dims`` are counts

# Functions of ``math`` that read no number of NumPy, also where Dynamo knows it while it traces (torch 2.13).
_UNFOLDED = frozenset("ceil comb factorial floor gcd isclose isfinite isinf isnan isqrt lcm perm trunc".split())
_OF_SEQUENCES = ("math.dist", "math.fsum")


def check(ctx: CallContext, name: str) -> None:
    """Report the arguments of the operator ``name`` that Dynamo does not support; a receiver is the first argument."""
    if not ctx.frame.mode.tracing:
        return
    check_bounds(ctx, name)
    reported: set[str] = set()
    for parameter in ctx.interp.knowledge.numbers(name):
        for value in _given(parameter, name, ctx.args):
            if parameter.kind == "generator":
                _check_generator(ctx, value)
            elif _names_padding(parameter, value):
                continue
            elif parameter.kind == "int" and operand_checks.check_integer(ctx, value):
                return
            elif any(map(random_numbers.is_random_number, _with_items(value))):
                floating = any(isinstance(v, Scalar) and v.kind == "float" for v in members(value))
                causes = (
                    ("type-error-in-fake-tensor-call",)
                    if floating and parameter.kind == "int"
                    else ("data-dependent-operator",)
                )
                random_numbers.report(ctx.interp, "argument", causes, ctx.frame, ctx.node)
            elif not ctx.frame.mode.keeps_scalars:
                subject = "size-arg" if parameter.kind == "int" else "scalar-arg"
                found = next((each for each in _tensors_in(value) if not _is_guarded(each, parameter)), None)
                if found is not None and subject not in reported:
                    reported.add(subject)
                    likely = _may_be_input(found)
                    ctx.emit("tensor-to-python", subject, ("data-dependent-operator",), about=found, likely=likely)
            elif _is_concrete(parameter, name, value) and not ctx.frame.known_true and "size-arg" not in reported:
                symbol = next((each for each in _symbols_in(value) if not _is_guarded(each, parameter)), None)
                if symbol is not None:
                    reported.add("size-arg")
                    ctx.emit("tensor-to-python", "size-arg", (), about=symbol, likely=_may_be_input(symbol))


def _is_concrete(parameter: NumberParameter, name: str, value: Value) -> bool:
    """Return whether the operator ``name`` needs the value of an argument while it is traced."""
    last = name.rpartition(".")[2]
    if parameter.name in _CONCRETE:
        return last not in _REPEATED
    if parameter.name.startswith("split_size") and isinstance(value, Seq):
        return False  # sizes may be symbols, their common size not
    return parameter.name.removesuffix("_or_sections") in _CONCRETE_OF.get(last, "").split()


def _names_padding(parameter: NumberParameter, value: Value) -> bool:
    """Return whether ``value`` is the padding of a convolution by name: "same" or "valid"."""
    texts = (is_text_constant(each) or (isinstance(each, Scalar) and each.kind == "str") for each in members(value))
    return parameter.name == "padding" and any(texts)


def check_bounds(ctx: CallContext, name: str) -> None:
    """Report ``clamp`` of a tensor and a number: it takes two tensors or two numbers, and reads the tensor."""
    if name.rpartition(".")[2].rstrip("_") not in ("clamp", "clip") or ctx.frame.mode.keeps_scalars:
        return
    given = [v for v in (ctx.args.get(1, "min"), ctx.args.get(2, "max")) if v is not None and v != NONE]
    tensors = [v for v in given if isinstance(v, Tensor) and not v.constant and not dtypes.is_numpy_scalar(v)]
    if len(given) == 2 and len(tensors) == 1 and any(isinstance(v, (Const, Scalar)) for v in given):
        ctx.emit("tensor-to-python", "scalar-arg", ("data-dependent-operator",), about=tensors[0])


def check_factory(ctx: CallContext, name: str) -> None:
    """Report ``requires_grad=True``, a leaf made in the graph, which Dynamo refuses for every function of torch."""
    last = name.rpartition(".")[2]
    if ctx.args.kw.get("requires_grad") == TRUE and name.startswith("torch.") and not last[:1].isupper():
        ctx.emit("autograd", "requires_grad=True", ("tensor-creation-with-requires-grad",))


def check_math(ctx: CallContext, name: str) -> None:
    """Report a function of ``math`` on a tensor, which it reads as a number; that of a NumPy scalar is guarded on.

    ``math.prod`` only multiplies its items, as the graph can, and ``math.radians`` is traced
    (torch/_dynamo/polyfills).
    """
    if name in ("math.prod", "math.radians"):
        return
    unfolded = name.removeprefix("math.") in _UNFOLDED
    for value in ctx.args.pos:
        given = list(members(value))
        if name in _OF_SEQUENCES:
            given += [item for v in members(value) if isinstance(v, Seq) for item in members(element(v))]
        if any(isinstance(v, Tensor) and not _is_read_by_math(v, unfolded) for v in given):
            ctx.emit("tensor-to-python", "scalar-arg", ("data-dependent-operator",), about=value)
            return


def _is_read_by_math(value: Tensor, unfolded: bool) -> bool:
    return dtypes.is_known_number(value) or (value.ndarray and value.constant and value.rank == 0 and not unfolded)


def _given(parameter: NumberParameter, name: str, args: Args) -> Iterator[Value]:
    if parameter.name in args.kw:
        yield args.kw[parameter.name]
    elif name.endswith((".max", ".min")) and len(args.pos) == 2:
        if not any(isinstance(each, Tensor) for each in members(args.pos[1])):
            yield args.pos[1]  # ``x.max(dim)``; with a tensor it is another function
    if parameter.position is not None:
        end = None if parameter.variadic else parameter.position + 1
        yield from args.pos[parameter.position : end]
        if args.star is not None and parameter.position >= len(args.pos):
            index = parameter.position - len(args.pos)
            yield from (args.star,) if parameter.variadic else _spread(args.star, index)


def _spread(star: Value, index: int) -> Iterator[Value]:
    """Yield what ``*star`` may pass at an index, if it is a sequence: one passes no rows of a tensor as options."""
    for each in members(star):
        if isinstance(each, Seq):
            yield from (element(each),) if each.items is None else each.items[index : index + 1]


def _tensors_in(value: Value) -> Iterator[Value]:
    """Yield ``value`` if it may be a tensor, and the items that may be one if it is a sequence."""
    for member in members(value):
        if isinstance(member, Tensor) and not member.constant:
            yield value
        if isinstance(member, Seq) and member.cls != "Size":
            for item in member.items if member.items is not None else (element(member),):
                if any(isinstance(v, Tensor) and not v.constant for v in members(item)):
                    yield item


def _symbols_in(value: Value) -> Iterator[Value]:
    """Yield the numbers that were read from a tensor and are captured as symbols, and the tensors that are read so."""
    yield from filter(unbacked_symints.is_symbol, _with_items(value))
    yield from _tensors_in(value)


def _with_items(value: Value) -> Iterator[Value]:
    """Yield ``value``, and its items if it is a sequence of known ones."""
    yield value
    for member in members(value):
        if isinstance(member, Seq) and member.items is not None:
            yield from member.items


def _is_guarded(value: Value, parameter: NumberParameter) -> bool:
    """Return whether Dynamo reads a tensor by a guard: an integer that comes in, on the CPU (``FakeTensorConverter``).

    It reads each scalar of NumPy that comes in so (``UnspecializedPythonVariable.raw_value``).  An operator takes a
    tensor for an integer only if it has no dimensions and holds one.  Parameters and integers narrower than int64 are
    not read so.
    """
    tensors = [v for v in members(value) if isinstance(v, Tensor)]
    kinds = ("int", None) if parameter.kind == "int" else ("int",)
    return bool(tensors) and all(
        dtypes.is_numpy_scalar(v) or (v.is_input and v.rank in (0, None) and v.dtype in kinds and not v.unguarded)
        for v in tensors
    )


def _may_be_input(value: Value) -> bool:
    """Return whether some alternative of a value may be an integer that comes in."""
    tensors = [v for v in members(value) if isinstance(v, Tensor)]
    return any(v.is_input and v.rank in (0, None) and v.dtype in ("int", None) and not v.unguarded for v in tensors)


def _check_generator(ctx: CallContext, value: Value) -> None:
    """Report a generator that is passed to an operator; it is mostly absent if None is the default."""
    found = members(value)
    if any(isinstance(v, ExternalObject) and v.cls == "torch.Generator" for v in found):
        about = UNKNOWN if isinstance(value, Union) and value.usual == NONE else None
        ctx.emit("call", "generator=", ("args-not-convertible-to-proxy",), about=about, likely=NONE in found)
