"""The text of an object that the region makes.

Dynamo sets the attributes of a new object after the graph. An f-string or ``str.format`` makes the text before that,
and ``str`` of an object without ``__str__`` makes it while tracing, from an object that has no attributes of its own.
"""

from __future__ import annotations

import ast

from gblint.interp.models.python import divergence
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Value, members
from gblint.values.objects import Class, Function, Instance, is_nn_module

# Objects that get their contents when they are made, or whose text Dynamo knows.
_MADE_AT_ONCE = tuple(
    "enum.Enum enum.IntEnum enum.StrEnum typing.NamedTuple torch.Tensor builtins.tuple builtins.str builtins.int "
    "builtins.float builtins.BaseException builtins.Exception builtins.ValueError".split()
)


def check_formatted(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report an object of the region in an f-string or an argument of ``str.format``."""
    for member in members(value) if frame.mode.tracing else ():
        if not isinstance(member, Instance) or not _gets_attributes_later(member) or _is_frozen(member):
            continue
        if any(_has_method(interp, member, name) for name in ("__format__", "__str__", "__repr__")):
            divergence.differs(interp, frame, node, "object-text", likely=True)


def check_str(ctx: CallContext, value: Instance) -> None:
    """Report ``str`` of an object of the region whose class has a ``__repr__``, and no ``__str__``."""
    if not ctx.frame.mode.tracing or not _gets_attributes_later(value) or not isinstance(value.cls, Class):
        return
    method = ctx.interp.class_attribute(value.cls, "__repr__")
    read = _attributes_in(method) if isinstance(method, Function) else value.attrs.keys()
    if not read:
        return
    if any(ctx.interp.class_attribute(value.cls, name) is None for name in read if name in value.attrs):
        ctx.emit("call", "builtins.str", ("failed-to-trace-builtin-operator",))
    elif not _is_frozen(value):
        divergence.differs(ctx.interp, ctx.frame, ctx.node, "object-text", likely=True)


def _attributes_in(function: Function) -> set[str]:
    """Return the names of the attributes that a method reads."""
    return {each.attr for each in ast_walk.walk(function.node) if isinstance(each, ast.Attribute)}


def has_generated_repr(cls: Class) -> bool:
    """Return whether ``dataclass`` writes the ``__repr__`` of a class."""
    return "dataclasses.dataclass" in cls.decorators and _option(cls, "repr") is not False


def _gets_attributes_later(value: Instance) -> bool:
    cls = value.cls
    if value.pre_existing or not value.attrs or not isinstance(cls, Class) or is_nn_module(value):
        return False
    return not cls.inherits(*_MADE_AT_ONCE)


def _is_frozen(value: Instance) -> bool:
    return isinstance(value.cls, Class) and any(_option(base, "frozen") for base in value.cls.mro)


def _has_method(interp: Interpreter, value: Instance, name: str) -> bool:
    if not isinstance(value.cls, Class):
        return False
    if isinstance(interp.class_attribute(value.cls, name), Function):
        return True
    return name == "__repr__" and any(map(has_generated_repr, value.cls.mro))


def _option(cls: Class, name: str) -> bool | None:
    """Return the value of an option in a decorator such as ``@dataclass(frozen=True)``."""
    for decorator in cls.node.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == name and isinstance(keyword.value, ast.Constant):
                return bool(keyword.value.value)
    return None
