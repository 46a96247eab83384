"""Builtin functions that make numbers and text of what they are given: ``int``, ``round``, ``pow``, ``str``."""

from __future__ import annotations

import ast

from gblint.interp.models.python import function_objects, opaque_objects, random_numbers, type_slots, versions
from gblint.interp.models.torch import hard_errors
from gblint.interp.models.torch.tensor_methods import is_folded_float, may_be_tensor
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Handler, Interpreter
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


def number(name: str, ids: tuple[str, ...], called: str = "") -> Handler:
    """``int``, ``float``, ``bool``, ``complex``, ``operator.index``: of a tensor they need its value."""

    def handler(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
        value = args.first
        type_slots.refused(m, name, value, frame, node)
        random_numbers.check_conversion(m, name, value, frame, node)
        captured = frame.mode.captures or frame.mode.capture_scalars
        origin = "data" if frame.mode.tracing and captured else "python"
        results: list[Value] = []
        for member in members(value):
            if is_folded_float(member) and name in ("int", "float"):
                results.append(Scalar(name))  # type: ignore[arg-type]
            elif isinstance(member, Tensor) or (isinstance(member, Unknown) and member.hint == "tensor"):
                if not captured or name == "complex":
                    array = isinstance(member, Tensor) and member.ndarray and name != "bool"
                    subject = "numpy-scalar" if array else called or name
                    m.emit(frame, node, "tensor-to-python", subject, ids, about=value)
                results.append(Scalar(name, origin))  # type: ignore[arg-type]
            elif isinstance(member, Scalar) and member.origin in ("size", "data"):
                results.append(Scalar(name, member.origin))  # type: ignore[arg-type]
            elif member != NONE or name == "bool":
                if name in ("int", "float"):
                    hard_errors.check_number(m, member, frame, node)
                results.append(_converted(m, name, member))
        return join_all(results) if results else Scalar(name)  # type: ignore[arg-type]

    return handler


def _converted(m: Interpreter, name: str, value: Value) -> Value:
    if name == "bool":
        answer = m.truth(value)
        return BOOL if answer is None else Const(answer)
    if isinstance(value, Const) and isinstance(value.value, (int, float, str)):
        try:
            return Const({"int": int, "float": float, "complex": complex}[name](value.value))
        except (ValueError, OverflowError):
            return Scalar(name)  # type: ignore[arg-type]
    return Scalar(name)  # type: ignore[arg-type]


def text(name: str, ids: tuple[str, ...]) -> Handler:
    """``str``, ``repr``, ``format``."""

    def handler(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
        value = args.first
        if may_be_tensor(value):
            m.emit(frame, node, "tensor-to-python", name, ids, about=value)
        type_slots.refused(m, name, value, frame, node)
        function_objects.shown(m, name, value, frame, node)
        opaque_objects.shown(m, name, value, frame, node)
        _own_text(m, name, value, frame, node)
        if (
            name == "str"
            and isinstance(value, Const)
            and (isinstance(value.value, (str, int, bool)) or versions.is_version(value.value))
        ):
            return Const(str(value.value))
        return STR

    return handler


def _own_text(m: Interpreter, name: str, value: Value, frame: Frame, node: ast.AST) -> None:
    """Runs a ``__str__`` or ``__repr__`` that has source."""

    for member in members(value):
        if isinstance(member, Instance) and isinstance(member.cls, Class):
            names = ("__str__", "__repr__") if name == "str" else ("__repr__",)
            method = next((f for n in names if (f := m.class_attribute(member.cls, n)) is not None), None)
            if isinstance(method, Function):
                m.call(method, Args((member,)), frame, node)


def format_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``format``: unlike ``str.format`` and f-strings it cannot keep a tensor unread."""
    if any(may_be_tensor(value) for value in args.pos[:1]):
        hard_errors.refuse(m, frame, node, "builtins.format", about=args.first)
    return Scalar("str")


def divmod_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``divmod``: tensors do not have it under Dynamo."""
    if args.pos and may_be_tensor(args.pos[0]):
        m.emit(frame, node, "call", "builtins.divmod", ("GB0088",), about=args.pos[0])
    elif any(random_numbers.is_drawn(v) for v in args.pos):
        random_numbers.report(m, "divmod", ("GB0088",), frame, node)
    return Seq("tuple", (NUMBER, NUMBER))


def abs_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``abs``."""
    type_slots.refused(m, "abs", args.first, frame, node)
    return join_all(
        Const(abs(v.value)) if isinstance(v, Const) and isinstance(v.value, (int, float)) else v
        for v in members(args.first)
    )


def round_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``round``: Dynamo refuses tensors."""
    value = args.first
    type_slots.refused(m, "round", value, frame, node)
    if may_be_tensor(value):
        m.emit(frame, node, "tensor-to-python", "round", ("GB6270",), about=value)
        return value
    if isinstance(value, Const) and isinstance(value.value, float) and len(args.pos) == 1:
        return Const(round(value.value)) if abs(value.value) < 1e15 else INT
    return INT if len(args.pos) == 1 else FLOAT


def pow_(m: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``pow``: refused for tensors, unlike ``**``."""

    if len(args.pos) >= 2 and any(may_be_tensor(a) for a in args.pos[:2]):
        m.emit(
            frame,
            node,
            "tensor-to-python",
            "pow",
            ("GB0059",),
            about=next(a for a in args.pos if may_be_tensor(a)),
        )
    return m.binary(ast.Pow(), args.pos[0], args.pos[1], frame, node) if len(args.pos) == 2 else NUMBER
