"""Exceptions: what Dynamo cannot do with them while it traces."""

from __future__ import annotations

import ast

from gblint.interp.frames import Frame
from gblint.interp.machine import Machine
from gblint.values.objects import Class, ExternalObject, Instance

_SETTABLE = ("__cause__", "__context__", "__suppress_context__", "__traceback__")
_CAUGHT = "__caught__"


def is_exception_class(cls: Class) -> bool:
    """Whether ``cls`` is an exception."""
    return any(is_exception(name) for name in cls.externals)


def is_exception(name: str) -> bool:
    """Whether an external class of this name is one of Python's exceptions."""
    endings = ("Error", "Exception", "Warning", "Interrupt", "Exit", "Iteration")
    return name.startswith("builtins.") and name.endswith(endings)


def note_created(instance: Instance, frame: Frame) -> None:
    """Marks an exception that is made where it may be caught: one that leaves the region ends it anyway."""
    if isinstance(instance.cls, Class) and is_exception_class(instance.cls) and "try" in frame.context:
        instance.attrs[_CAUGHT] = instance


def super_init(m: Machine, instance: Instance, frame: Frame, node: ast.AST) -> None:
    """``super().__init__(...)`` in the ``__init__`` of an exception class is a slot that Dynamo has no handler for."""
    if _CAUGHT in instance.attrs:
        m.emit(frame, node, "exception", "super-init", ("GB0006",))


def called(m: Machine, name: str, keywords: bool, frame: Frame, node: ast.AST) -> None:
    """``ImportError("...", name="...")``: Dynamo makes its exceptions without keyword arguments."""
    if keywords and "try" in frame.context and is_exception(name):
        m.emit(frame, node, "exception", "keywords", ("GB0273",))


def set_attribute(m: Machine, error: ExternalObject, name: str, frame: Frame, node: ast.AST) -> None:
    """``error.name = value`` on one of Python's own exceptions."""
    if is_exception(error.cls) and name not in _SETTABLE:
        m.emit(frame, node, "exception", "attribute", ("GB0135",))
