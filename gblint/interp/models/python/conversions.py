"""Builtin conversions to numbers and strings: ``int``, ``round``, ``pow``, ``str``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gblint.interp.domain import dynamo_constants, reach, unbacked_symints
from gblint.interp.domain.dtypes import is_known_number
from gblint.interp.domain.unbacked_symints import is_guarded
from gblint.interp.models.python import (
    function_objects,
    object_texts,
    opaque_objects,
    random_numbers,
    truth_hooks,
    type_slots,
    versions,
)
from gblint.interp.models.torch import hard_errors
from gblint.interp.models.torch.tensor_methods import is_folded_float, may_be_tensor
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.lazy_dataclasses import replace
from gblint.values import folding
from gblint.values.base import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    STR,
    Const,
    Scalar,
    Tensor,
    Unknown,
    Value,
    members,
)
from gblint.values.containers import Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, Function, Instance


def number(name: str, causes: tuple[str, ...], called: str = "") -> Handler:
    """``int``, ``float``, ``bool``, ``complex``, ``operator.index``: for a tensor they need its value."""

    def handler(ctx: CallContext) -> Value:
        value = ctx.args.first
        type_slots.refused(ctx.interp, name, value, ctx.frame, ctx.node)
        random_numbers.check_conversion(ctx, name, value)
        if name == "bool" and ctx.frame.mode.tracing:
            truth_hooks.run(ctx.interp, value, ctx.frame, ctx.node)
        captured = ctx.frame.mode.captures or ctx.frame.mode.config.capture_scalars
        origin = "data" if ctx.frame.mode.tracing and captured else "python"
        results: list[Value] = []
        for member in members(value):
            if name in ("int", "float") and (is_folded_float(member) or is_known_number(member)):
                results.append(Scalar(name))  # type: ignore[arg-type]
            elif isinstance(member, Tensor) or (isinstance(member, Unknown) and member.hint == "tensor"):
                if not captured or name == "complex":
                    array = isinstance(member, Tensor) and member.ndarray and name != "bool"
                    subject = "numpy-scalar" if array else called or name
                    ctx.emit("tensor-to-python", subject, causes, about=value)
                results.append(Scalar(name, "python" if is_guarded(member) else origin))  # type: ignore[arg-type]
            elif isinstance(member, Scalar) and member.origin in ("size", "data"):
                results.append(Scalar(name, member.origin))  # type: ignore[arg-type]
            elif member != NONE or name == "bool":
                if name in ("int", "float"):
                    hard_errors.check_number(ctx, member)
                results.append(_converted(ctx.interp, name, member))
        result = join_all(results) if results else Scalar(name)  # type: ignore[arg-type]
        usual = reach.usual(value)
        expected = _converted(ctx.interp, name, usual) if isinstance(usual, Const) else None
        return reach.expected(result, expected) if isinstance(expected, Const) else result

    return handler


def _converted(interp: Interpreter, name: str, value: Value) -> Value:
    if name == "bool":
        answer = interp.truth(value)
        return BOOL if answer is None else Const(answer)
    if isinstance(value, Const) and isinstance(value.value, (int, float, str)):
        try:
            convert: Callable[..., object] = {"int": int, "float": float, "complex": complex}[name]
            return folding.fold(convert, value.value) or Scalar(name)  # type: ignore[arg-type]
        except (ValueError, OverflowError):
            return Scalar(name)  # type: ignore[arg-type]
    return Scalar(name)  # type: ignore[arg-type]


def text(name: str, causes: tuple[str, ...]) -> Handler:
    """``str``, ``repr``, ``format``."""

    def handler(ctx: CallContext) -> Value:
        value = ctx.args.first
        if may_be_tensor(value) or (ctx.frame.mode.keeps_scalars and unbacked_symints.is_symbol(value)):
            ctx.emit("tensor-to-python", name, causes, about=value)
        type_slots.refused(ctx.interp, name, value, ctx.frame, ctx.node)
        function_objects.shown(ctx.interp, name, value, ctx.frame, ctx.node)
        opaque_objects.shown(ctx.interp, name, value, ctx.frame, ctx.node)
        held = dynamo_constants.container_in(value) if name in ("str", "repr") else None
        if held is not None:
            cause = "failed-to-trace-builtin-operator" if name == "str" else "repr-on-tensor"
            ctx.emit("operation", "container-text", (cause,), about=dynamo_constants.tensor_in(held))
        _own_text(ctx, name, value)
        if (
            name == "str"
            and isinstance(value, Const)
            and (isinstance(value.value, (str, int, bool)) or versions.is_version(value.value))
        ):
            return folding.fold(str, value.value) or STR
        return _text_of_class(value) if name in ("str", "repr") and isinstance(value, Class) else STR

    return handler


def _text_of_class(cls: Class) -> Value:
    """Return the text of a class that no metaclass can change, which serves as a key of registries."""
    plain = cls.complete and cls.scope is None and not any(keyword.arg for c in cls.mro for keyword in c.node.keywords)
    return Const(f"<class '{cls.qualname}'>") if plain else STR


def _own_text(ctx: CallContext, name: str, value: Value) -> None:
    """Run a ``__str__`` or ``__repr__`` with source."""

    for member in members(value):
        if isinstance(member, Instance) and isinstance(member.cls, Class):
            names = ("__str__", "__repr__") if name == "str" else ("__repr__",)
            methods = {n: ctx.interp.class_attribute(member.cls, n) for n in names}
            generated = any(map(object_texts.has_generated_repr, member.cls.mro))
            method = next((f for f in methods.values() if f is not None), None)
            if name == "str" and methods["__str__"] is None and (generated or isinstance(method, Function)):
                object_texts.check_str(ctx, member)
            elif name == "repr" and method is None and generated:
                ctx.emit("call", "builtins.repr", ("call-of-skipped-function",))
            if isinstance(method, Function):
                ctx.call(method, Args((member,)))


def format_(ctx: CallContext) -> Value:
    """``format``: unlike ``str.format`` and f-strings it cannot keep a tensor unread."""
    if any(may_be_tensor(value) for value in ctx.args.pos[:1]):
        hard_errors.refuse(ctx.interp, ctx.frame, ctx.node, "builtins.format", about=ctx.args.first)
    return Scalar("str")


def divmod_(ctx: CallContext) -> Value:
    """``divmod``: Dynamo does not support tensors."""
    if ctx.args.pos and may_be_tensor(ctx.args.pos[0]):
        ctx.emit("call", "builtins.divmod", ("observed-exception",), about=ctx.args.pos[0])
    elif any(random_numbers.is_random_number(v) for v in ctx.args.pos):
        random_numbers.report(ctx.interp, "divmod", ("observed-exception",), ctx.frame, ctx.node)
    return Seq("tuple", (NUMBER, NUMBER))


def abs_(ctx: CallContext) -> Value:
    """``abs``."""
    type_slots.refused(ctx.interp, "abs", ctx.args.first, ctx.frame, ctx.node)
    return join_all(
        Const(abs(v.value))
        if isinstance(v, Const) and isinstance(v.value, (int, float))
        else replace(v, is_input=False)
        if isinstance(v, Tensor)
        else v
        for v in members(ctx.args.first)
    )


def round_(ctx: CallContext) -> Value:
    """``round``: Dynamo does not support tensors."""
    value = ctx.args.first
    type_slots.refused(ctx.interp, "round", value, ctx.frame, ctx.node)
    if may_be_tensor(value):
        ctx.emit("tensor-to-python", "round", ("unhandled-tensor-method",), about=value)
        return value
    if isinstance(value, Const) and isinstance(value.value, float) and len(ctx.args.pos) == 1:
        return Const(round(value.value)) if abs(value.value) < 1e15 else INT
    return INT if len(ctx.args.pos) == 1 else FLOAT


def pow_(ctx: CallContext) -> Value:
    """``pow``: Dynamo does not support tensors, unlike ``**``."""

    if len(ctx.args.pos) >= 2 and any(may_be_tensor(a) for a in ctx.args.pos[:2]):
        ctx.emit(
            "tensor-to-python",
            "pow",
            ("failed-to-trace-builtin-operator",),
            about=next(a for a in ctx.args.pos if may_be_tensor(a)),
        )
    return (
        ctx.interp.binary(ast.Pow(), ctx.args.pos[0], ctx.args.pos[1], ctx.frame, ctx.node)
        if len(ctx.args.pos) == 2
        else NUMBER
    )
