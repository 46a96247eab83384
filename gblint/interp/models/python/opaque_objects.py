"""Objects that Dynamo passes on without looking into them: identities, dates, typed arrays."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import tensor_text
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import INT, Tensor, Value, members
from gblint.values.containers import Seq
from gblint.values.objects import ExternalObject, Instance
from gblint.values.wrapped import GeneratorContextManager

IDENTITY: Final = ExternalObject("builtins.id")
"""``id()`` of what was made while tracing: there is no such object yet, so there is no number either."""
ARRAY: Final = "array.array"
DATA: Final = "torch.utils.data."
"""Dynamo skips the modules below this one."""
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
LOGGER: Final = "logging.Logger"
OF_LOGGER: Final = f"{LOGGER}."
"""The start of the classes of a logger's attributes, which Dynamo does not read."""
_LOGGERS = ("parent", "root")
_LOGGER_ATTRIBUTES = ("disabled", "filters", "handlers", "level", "manager", "name", "propagate")
DATES: Final[tuple[str, ...]] = ("datetime.date", "datetime.datetime", "datetime.time", "datetime.timedelta")
_UNFORMATTED = (*DATES, "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", ARRAY)
_FORMATTED = ("builtins.str", "builtins.int", "builtins.float")
_CAUSES_OF_TEXT = {"str": ("str-method-in-c",), "repr": ("untraceable-user-defined-repr",)}


def identity(ctx: CallContext) -> Value:
    """``id``."""
    value = ctx.args.pos[0] if ctx.args.pos else None
    computed = isinstance(value, Tensor) and not value.is_input and not value.constant
    if ctx.frame.mode.tracing and (computed or _is_display(ctx.node, ctx.frame)):
        return IDENTITY
    return INT


def _is_display(node: ast.AST, frame: Frame) -> bool:
    """Return whether the argument of a call is a display such as ``[...]``, or a variable that is only bound to one."""
    argument = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if not isinstance(argument, ast.Name):
        return isinstance(argument, _DISPLAYS)
    if frame.function is None or isinstance(frame.function.node, ast.Lambda):
        return False
    bound = [n for n in ast_walk.walk(frame.function.node) if _binds(n, argument.id)]
    return bool(bound) and all(isinstance(n, ast.Assign) and isinstance(n.value, _DISPLAYS) for n in bound)


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Assign):
        return any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
    if isinstance(node, ast.arg):
        return node.arg == name
    parts: list[ast.AST] = []
    if isinstance(node, (ast.For, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.comprehension)):
        parts = list(ast_walk.walk(node.target))
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        parts = list(ast_walk.walk(node.optional_vars))
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)


def returned(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report an identity that leaves the region."""
    for member in members(value):
        parts = member.items or () if isinstance(member, Seq) else ()
        if any(isinstance(v, GeneratorContextManager) for v in (member, *parts)):
            interp.emit(frame, node, "context-manager", "returned", ("reconstructing-contextmanager-object",))
        if member == IDENTITY or IDENTITY in parts:
            interp.emit(frame, node, "call", "builtins.id", ("reconstruction-of-fake-id",))


def shown(interp: Interpreter, name: str, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report ``str``, ``repr`` or ``format`` of a C object, or of one without ``__format__``."""
    if not frame.mode.tracing:
        return
    for member in members(value):
        if _is_formatted_later(member) if name == "format" else _is_date(member):
            interp.emit(frame, node, "call", f"builtins.{name}", _CAUSES_OF_TEXT.get(name, ("observed-exception",)))


def is_formatted_later(value: Value) -> bool:
    """Return whether Dynamo leaves the text of a value in an f-string to the code after the graph.

    It keeps the object and the format (``StringFormatVariable``), unless it knows the text of the object.
    """
    return tensor_text.shows_object(value) or all(_is_formatted_later(member) for member in members(value))


def _is_formatted_later(value: Value) -> bool:
    if isinstance(value, Instance):
        bases = getattr(value.cls, "externals", ())
        return not any(name in _FORMATTED or name.startswith("enum.") for name in bases)
    return isinstance(value, ExternalObject) and value.cls in _UNFORMATTED


def _is_date(value: Value) -> bool:
    return isinstance(value, ExternalObject) and value.cls in DATES


def of_logger(name: str) -> Value | None:
    """Return an attribute of a logger in a region; None for a method."""
    if name in _LOGGERS:
        return ExternalObject(LOGGER, pre_existing=True)
    return ExternalObject(f"{OF_LOGGER}{name}", pre_existing=True) if name in _LOGGER_ATTRIBUTES else None


def read(interp: Interpreter, value: Value, cause: str, frame: Frame, node: ast.AST) -> None:
    """Report ``len(a)`` and ``for v in a`` of an ``array.array``, and ``len`` of a sampler or dataset."""
    if not isinstance(value, ExternalObject) or not frame.mode.tracing:
        return
    if value.cls.startswith(OF_LOGGER) and cause == "missing-tp-iter":
        interp.emit(frame, node, "operation", "logger-attribute", ("unsupported-python-type-call",))
    if value.cls == ARRAY:
        interp.emit(frame, node, "call", ARRAY, (cause,))
    elif value.cls.startswith(DATA) and cause != "missing-tp-iter":
        interp.emit(frame, node, "call", value.cls, ("inlining-of-skipped-function",))
