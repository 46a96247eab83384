"""Python objects as operands: sets, strings and fractions where operators take tensors and numbers; torch.func."""

from __future__ import annotations

import ast

from gblint.interp.domain.builtin_names import DATA_POINTER
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import FALSE, NONE, UNKNOWN, Const, Scalar, Tensor, Union, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import METHODLESS, Class, ExternalName, ExternalObject, Instance
from gblint.values.wrapped import GradAndValue, Pullback, SuperProperty

_SETS = ("set", "frozenset")
# The positional arguments of the in-place methods that Dynamo binds by itself: ``method_add_`` and its like
# (torch/_dynamo/variables/tensor.py).  The deprecated overloads take a number before them.
_POSITIONAL = {"add_": 1, "addcmul_": 2, "addcdiv_": 2}
_POINTER = ExternalObject(DATA_POINTER)


def is_set(value: Value) -> bool:
    """Return whether ``value`` is a set, which no node of a graph can hold."""
    return isinstance(value, Seq) and value.cls in _SETS


def check_operand(interp: Interpreter, a: Value, b: Value, frame: Frame, node: ast.AST) -> None:
    """``tensor + {1, 2}``, ``tensor + other.data_ptr()``."""
    if is_set(a) or is_set(b):
        interp.emit(frame, node, "tensor-argument", "set", ("builtin-operator-on-tensors",))
    elif _POINTER in (a, b):
        interp.emit(frame, node, "tensor-method", "data_ptr", ("args-not-convertible-to-proxy",))


def check_object(
    interp: Interpreter, op: ast.operator, value: Instance, other: Value, frame: Frame, node: ast.AST
) -> None:
    """Report an operator of an object with ``__matmul__`` or the like, whose node no graph can hold.

    Dynamo makes a node of every operator on a tensor.  Between other values it has no handler for ``@`` alone.
    """
    if not _is_plain_object(interp, value, frame):
        return
    if isinstance(other, Tensor):
        interp.emit(frame, node, "tensor-argument", "object", ("args-not-convertible-to-proxy",), about=other)
    elif isinstance(op, ast.MatMult):
        _report_operator_of_objects(interp, frame, node, isinstance(other, Unknown))


def check_inverted(interp: Interpreter, value: Instance, frame: Frame, node: ast.AST) -> None:
    """Report ``~value`` for an object with ``__invert__``, for which Dynamo has no handler either."""
    if _is_plain_object(interp, value, frame):
        _report_operator_of_objects(interp, frame, node)


def _report_operator_of_objects(interp: Interpreter, frame: Frame, node: ast.AST, likely: bool = False) -> None:
    cause = ("failed-to-trace-builtin-operator",)
    interp.emit(frame, node, "tensor-argument", "objects", cause, likely=likely)


def _is_plain_object(interp: Interpreter, value: Instance, frame: Frame) -> bool:
    """Return whether a traced operator meets an object of a class in Python without ``__torch_function__``."""
    if not frame.mode.tracing or not isinstance(value.cls, Class):
        return False
    known = all(name in METHODLESS or name == "torch.nn.Module" for name in value.cls.externals)
    return known and interp.class_attribute(value.cls, "__torch_function__") is None


def check_arguments(ctx: CallContext) -> None:
    """``torch.add(x, y.data_ptr())``, ``torch.ones(3, device=super().device)``: no node of a graph can hold these."""
    given = ctx.args.all()
    if _POINTER in given:
        ctx.emit("tensor-method", "data_ptr", ("args-not-convertible-to-proxy",))
    for value in given:
        for each in members(value):
            if isinstance(each, SuperProperty):
                cause = ("args-not-convertible-to-proxy",)
                ctx.emit("operation", f"super().{each.name}", cause, likely=isinstance(value, Union))
                return


def check_method(ctx: CallContext, tensor: Tensor, name: str) -> bool:
    """Report ``tensor.sum({0})`` and arguments that single methods refuse; return whether one was reported."""
    if not ctx.frame.mode.tracing:
        return False
    check_arguments(ctx)
    if any(is_set(v) for v in (*ctx.args.pos, *ctx.args.kw.values())):
        ctx.emit("tensor-argument", "set", ("unsupported-argument-type-in-tensor-method-call",), about=tensor)
    elif name == "type" and ctx.args.get(0, "dtype") == ExternalName("torch.Tensor"):
        ctx.emit("tensor-argument", "class", ("unsupported-argument-type-in-tensor-method-call",), about=tensor)
    elif name == "uniform_" and "from" in ctx.args.kw:
        ctx.emit("tensor-method", name, ("tensor-uniform-with-from-keyword",), about=tensor)
    elif name == "set_" and len(ctx.args.pos) > 1:
        ctx.emit("tensor-method", name, ("tensor-set-call",), about=tensor)
    elif len(ctx.args.pos) > _POSITIONAL.get(name, len(ctx.args.pos)):
        ctx.emit("tensor-method", name, ("unhandled-args-for-method",), about=tensor)
    else:
        return False
    return True


def check_integer(ctx: CallContext, value: Value) -> bool:
    """Report a string or fraction where an operator takes an integer (``dim="rows"``); return whether there is one.

    A number that is not known may be a whole one: its kind is ``float`` where an integer and a fraction are joined.
    """
    wrong = isinstance(value, Const) and isinstance(value.value, (str, float))
    if wrong or (isinstance(value, Scalar) and value.kind == "str" and value.origin == "python"):
        ctx.emit("tensor-argument", "integer", ("type-error-in-fake-tensor-call",))
        return True
    return False


def elementwise_dtypes(ctx: CallContext) -> Value:
    """``torch._prims_common.elementwise_dtypes``: tensors and constants only."""
    sizes = [v for v in ctx.args.pos if isinstance(v, Scalar) and v.origin == "size" and ctx.frame.mode.dynamic]
    if sizes or any(isinstance(v, Seq) for v in ctx.args.pos):
        ctx.emit("tensor-argument", "dtypes", ("elementwise-dtypes-unsupported-arg-type",))
    return Seq("tuple", (ExternalObject("torch.dtype"), ExternalObject("torch.dtype")))


def vjp(ctx: CallContext) -> Value:
    """``torch.func.vjp(f, x)``: the value, and a function that holds autograd's graph."""
    function = ctx.args.first
    inputs = Args(ctx.args.pos[1:], {k: v for k, v in ctx.args.kw.items() if k != "has_aux"}, ctx.args.star)
    result = UNKNOWN if function == NONE else ctx.call(function, inputs)
    pullback = Pullback(function, ctx.frame.mode.tracing)
    if ctx.args.kw.get("has_aux", FALSE) == FALSE:
        return Seq("tuple", (result, pullback))
    value, extra = ctx.items_of(result) or (UNKNOWN, UNKNOWN)
    return Seq("tuple", (value, pullback, extra))


def pull(ctx: CallContext, pullback: Pullback) -> Value:
    """Call the function returned by ``torch.func.vjp``: autograd's graph cannot enter the region."""
    if ctx.frame.mode.tracing and not pullback.from_region:
        ctx.emit("tensor-argument", "pullback", ("internal-autograd-grad-lost-linkage",))
    return Seq("tuple", None, Tensor())


def grad_and_value(ctx: CallContext) -> Value:
    """``torch.func.grad_and_value(f)``: a function of the same arguments as ``f``."""
    function = ctx.args.first
    return function if isinstance(function, Unknown) else GradAndValue(function)


def call_grad_and_value(ctx: CallContext, function: GradAndValue) -> Value:
    """Call the function returned by ``torch.func.grad_and_value``: the gradient, and the value of the function."""
    value = ctx.call(function.function, ctx.args)
    return Seq("tuple", (Tensor(), value))


def functional_call(ctx: CallContext) -> Value:
    """``torch.func.functional_call(module, parameters, args, kwargs)``: Dynamo inlines the call of the module."""
    module, given, named = ctx.args.get(0, "module"), ctx.args.get(2, "args"), ctx.args.get(3, "kwargs")
    if module is None:
        return UNKNOWN
    pos = given.items if isinstance(given, Seq) and given.cls == "tuple" else None if given is None else (given,)
    entries = named.entries if isinstance(named, Mapping) else ()
    options = {str(key.value): value for key, value in entries if isinstance(key, Const)}
    star = UNKNOWN if pos is None and given is not None else None
    return ctx.call(module, Args(pos or (), options, star, None if named is None else getattr(named, "rest", UNKNOWN)))


def random_class(ctx: CallContext) -> Value:
    """``random.Random(seed)``: Dynamo supports at most a positional seed."""
    if ctx.frame.mode.tracing and (ctx.args.kw or len(ctx.args.pos) > 1):
        ctx.emit("call", "random.Random", ("random-random-with-improper-arguments",))
    return ExternalObject("random.Random", pre_existing=not ctx.frame.mode.tracing)


HANDLERS: dict[str, Handler] = {
    "torch._prims_common.elementwise_dtypes": elementwise_dtypes,
    "torch.func.functional_call": functional_call,
    "torch._functorch.functional_call": functional_call,
    "torch._functorch.functional_call.functional_call": functional_call,
    "torch.func.grad_and_value": grad_and_value,
    "torch.func.vjp": vjp,
    "random.Random": random_class,
}
