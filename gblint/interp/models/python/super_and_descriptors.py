"""Attributes found by ``super()``, and attribute hooks and properties that are not Python functions."""

from __future__ import annotations

import ast

from gblint.interp.domain import tensor_text
from gblint.interp.models.python import exceptions
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import UNKNOWN, Const, Value
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import METHODLESS, Class, ExternalName, ExternalObject, Instance, Super
from gblint.values.wrapped import Property, SuperProperty

_SLOTS = ("__repr__", "__eq__", "__hash__")
_GETTERS = ("operator.attrgetter", "operator.itemgetter", "operator.methodcaller")


def is_plain(cls: Class) -> bool:
    """Return whether all bases of ``cls`` have source, or nothing to inherit."""
    return cls.complete and all(name in METHODLESS for name in cls.externals)


def made(interp: Interpreter, node: ast.Call, frame: Frame) -> Value:
    """Return the object that ``super()`` or ``super(Class, self)`` makes."""
    if len(node.args) >= 2:
        after, receiver = (interp.eval(a, frame) for a in node.args[:2])
        return Super(after, receiver) if isinstance(after, Class) else UNKNOWN
    function = frame.function
    if function is None or function.owner is None:
        scope = frame.scope.parent
        receiver_value = scope.lookup("self") if scope is not None else None
        owner = _enclosing_owner(frame)
        return Super(owner, receiver_value) if owner is not None and receiver_value is not None else UNKNOWN
    parameters = [*function.node.args.posonlyargs, *function.node.args.args]
    if not parameters:
        return UNKNOWN
    receiver = frame.variables.get(parameters[0].arg, UNKNOWN)
    return Super(function.owner, receiver)


def _enclosing_owner(frame: Frame) -> Class | None:
    receiver = frame.scope.lookup("self")
    return receiver.cls if isinstance(receiver, Instance) and isinstance(receiver.cls, Class) else None


def found_by_super(
    interp: Interpreter, found: Value | None, base: Super, name: str, frame: Frame, node: ast.AST
) -> Value | None:
    """Report a ``super().name`` that Dynamo does not support; return the value for a property, which it does not call.

    ``SuperVariable`` takes empty values and zero for missing attributes, and has no handler for a property.
    """
    cls = base.receiver if isinstance(base.receiver, Class) else getattr(base.receiver, "cls", None)
    if not frame.mode.tracing or not isinstance(cls, Class):
        return None
    if isinstance(found, Property):
        return SuperProperty(found.function, base.receiver, name)
    if _is_empty(found):
        interp.emit(frame, node, "operation", "super", ("unable-to-resolve-super-getattr",))
    elif found is None and is_plain(cls) and not hasattr(object, name):
        if exceptions.is_caught(frame, node, "AttributeError"):
            interp.emit(frame, node, "operation", "super", ("unable-to-resolve-super-getattr",))
    return None


def _is_empty(value: Value | None) -> bool:
    if isinstance(value, Const):
        return value.value is None or (isinstance(value.value, (bool, int, float, str)) and not value.value)
    if isinstance(value, Mapping):
        return not value.entries and value.rest is None
    return isinstance(value, Seq) and value.items == ()


def super_method(ctx: CallContext, cls: Value, name: str, first: Value | None) -> None:
    """Report a method that ``super()`` finds only on ``object``: Dynamo has no handlers for these C slots."""
    if name in _SLOTS and isinstance(cls, Class) and is_plain(cls):
        ctx.emit("operation", "super", ("super-attribute-not-a-function",))
    if name == "__delattr__" and first is not None and tensor_text.shows_tensor(first):
        ctx.emit("operation", "super", ("non-constant-attribute-given-to-super-delattr",))


def hook(interp: Interpreter, name: str, method: Value | None, frame: Frame, node: ast.AST) -> None:
    """Report ``__getattr__ = dict.get`` and other attribute hooks written in C."""
    if isinstance(method, ExternalName) and method.name.startswith("builtins."):
        interp.emit(
            frame,
            node,
            "operation",
            "attribute-hook",
            ("object-with-non-function-getattr",) if name == "__getattr__" else ("unsupported-method-call",),
        )


def getter(interp: Interpreter, function: Value, frame: Frame, node: ast.AST) -> bool:
    """Return whether a property is ``property(operator.attrgetter("name"))``, and report it."""
    is_in_c = isinstance(function, ExternalObject) and function.cls in _GETTERS
    if is_in_c:
        interp.emit(frame, node, "operation", "attribute-hook", ("unsupported-method-call",))
    return is_in_c


def class_method(interp: Interpreter, function: Value, frame: Frame, node: ast.AST) -> None:
    """Report ``classmethod(id)``, called on an instance."""
    if isinstance(function, ExternalName) and function.name.startswith("builtins."):
        interp.emit(frame, node, "operation", "attribute-hook", ("function-not-implemented-in-python",))


def structure(interp: Interpreter, instance: Instance, cause: str, frame: Frame, node: ast.AST) -> None:
    """Report stores to and deletions of a field of a ctypes structure, a descriptor written in C."""
    if isinstance(instance.cls, Class) and instance.cls.inherits("ctypes.Structure", "ctypes.Union"):
        interp.emit(frame, node, "operation", "structure", (cause,))


def metaclass(interp: Interpreter, cls: Class, frame: Frame, node: ast.AST) -> None:
    """Report a class method of a class whose metaclass defines ``__getattribute__``."""
    if not frame.mode.tracing:
        return
    for keyword in (k for owner in cls.mro for k in owner.node.keywords if k.arg == "metaclass"):
        meta = interp.eval(keyword.value, interp.module_frame(cls.module))
        if isinstance(meta, Class) and "__getattribute__" in meta.module.binding_table(meta.node):
            interp.emit(frame, node, "operation", "attribute-hook", ("custom-metaclass-with-getattribute",))
            return
