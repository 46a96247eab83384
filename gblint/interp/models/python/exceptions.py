"""Exceptions: operations on them that Dynamo does not support."""

from __future__ import annotations

import ast
import builtins
from typing import Final

from gblint.interp.domain import reach
from gblint.interp.models.python import uncaught
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import UNKNOWN, Const, Scalar, Value
from gblint.values.containers import Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, ExternalName, ExternalObject, Instance

_SETTABLE = ("__cause__", "__context__", "__suppress_context__", "__traceback__")
_CAUGHT = "__caught__"
_CATCH_ALL = frozenset(("builtins.BaseException", "builtins.Exception", "builtins.RuntimeError"))
_INITIALIZER = ".__init__"
RAISED: Final = "@raised"
"""Under this name a state that goes to a handler holds what was raised."""


def is_exception_class(cls: Class) -> bool:
    """Return whether ``cls`` is an exception class."""
    return any(is_exception(name) for name in cls.externals)


def is_exception(name: str) -> bool:
    """Return whether an external class of this name is a builtin exception."""
    endings = ("Error", "Exception", "Warning", "Interrupt", "Exit", "Iteration", "Group")
    return name.startswith("builtins.") and name.endswith(endings)


def note_created(instance: Instance, frame: Frame) -> None:
    """Mark an exception that is made in a ``try``, in a function whose caller catches it, or in every call."""
    cls = instance.cls
    if isinstance(cls, Class) and is_exception_class(cls):
        is_expected = not frame.mode.catches.isdisjoint((*(base.qualname for base in cls.mro), *cls.externals))
        if "try" in frame.context or is_expected or uncaught.leaves(frame):
            instance.attrs[_CAUGHT] = instance


def caught_in(interp: Interpreter, handlers: list[ast.ExceptHandler], frame: Frame) -> frozenset[str]:
    """Return the names of the exception classes that ``handlers`` catch, without those that catch nearly everything."""
    if not frame.mode.tracing:
        return frozenset()
    expected = [interp.eval(handler.type, frame) for handler in handlers if handler.type is not None]
    classes = [item for each in expected for item in ((each.items or ()) if isinstance(each, Seq) else (each,))]
    names = [cls.qualname for cls in classes if isinstance(cls, Class)]
    return frozenset((*names, *(v.name for v in classes if isinstance(v, ExternalName)))) - _CATCH_ALL


def super_init(ctx: CallContext, instance: Instance) -> None:
    """Report ``super().__init__(...)`` in an exception class's ``__init__``: a slot without a handler in Dynamo."""
    if _CAUGHT in instance.attrs:
        instance.attrs[uncaught.BROKEN] = instance
        ctx.emit("exception", "super-init", ("super-attribute-not-a-function",))


def base_init(ctx: CallContext, name: str) -> bool:
    """Report ``Exception.__init__(self, ...)``, which Dynamo cannot call; return whether ``name`` is such a method."""
    instance = ctx.args.pos[0] if ctx.args.pos else None
    if not name.endswith(_INITIALIZER) or not is_exception(name.removesuffix(_INITIALIZER)):
        return False
    if isinstance(instance, Instance) and _CAUGHT in instance.attrs:
        instance.attrs[uncaught.BROKEN] = instance
        ctx.emit("exception", "base-init", ("unsupported-method-call",))
    return True


def called(ctx: CallContext, name: str, keywords: bool) -> None:
    """Report ``ImportError("...", name="...")``: Dynamo makes exceptions without keyword arguments."""
    if keywords and "try" in ctx.frame.context and is_exception(name):
        ctx.emit("exception", "keywords", ("exception-constructor-keyword-arguments",))


def assertion(ctx: CallContext, messages: tuple[Value, ...]) -> None:
    """Report a caught ``AssertionError(3)``: Dynamo supports constant strings only."""
    if any(not (isinstance(v, Const) and isinstance(v.value, str)) for v in messages):
        if is_caught(ctx.frame, ctx.node, "AssertionError"):
            ctx.emit("exception", "assertion", ("assert-with-non-string-message",))


def failed_assert(interp: Interpreter, frame: Frame, node: ast.Assert) -> None:
    """Report a failing ``assert`` that is caught: Dynamo raises no error for it, and cannot resume in a ``try``.

    Python turns ``assert False`` into a ``raise``, which Dynamo traces.
    """
    if not isinstance(node.test, ast.Constant) and is_caught(frame, node, "AssertionError"):
        interp.emit(frame, node, "exception", "assert", ("data-dependent-assertion",))


def failing_assert(interp: Interpreter, frame: Frame, node: ast.Assert) -> None:
    """Report an ``assert`` that may fail, and whose error the code around it expects by name."""
    if is_caught(frame, node, "AssertionError", by_name=True):
        path = frame.conditions.path
        reach.on_error(frame, node.test, holds=False)
        interp.emit(frame, node, "exception", "assert", ("data-dependent-assertion",), likely=True)
        frame.conditions.path = path


def set_attribute(interp: Interpreter, error: ExternalObject, name: str, frame: Frame, node: ast.AST) -> None:
    """Report ``error.name = value`` on a builtin exception."""
    if is_exception(error.cls) and name not in _SETTABLE:
        interp.emit(frame, node, "exception", "attribute", ("unsupported-attribute-assignment-on-exception",))


def call_method(ctx: CallContext, error: ExternalObject, name: str) -> None:
    """Report a method of a builtin exception: Dynamo supports ``with_traceback`` only."""
    if is_exception(error.cls) and name != "with_traceback" and not name.startswith("__"):
        ctx.emit("exception", name, ("unsupported-method-call",))


def check_group(interp: Interpreter, statement: ast.stmt, handlers: list[ast.ExceptHandler], frame: Frame) -> None:
    """Report ``except*`` that runs after an exception: Dynamo has no handler for its bytecode."""
    if type(statement).__name__ == "TryStar":
        interp.emit(frame, handlers[0], "exception", "group", ("missing-bytecode-handler",))


def is_caught(frame: Frame, node: ast.AST, name: str, *, by_name: bool = False) -> bool:
    """Return whether the code around ``node`` in the same function catches the builtin exception ``name``.

    by_name: whether only handlers that name the exception itself count.
    """
    function = None if frame.function is None else frame.function.node
    if function is None or "try" not in frame.context:
        return False
    line = getattr(node, "lineno", 0)
    return any(
        isinstance(t, ast.Try)
        and t.body[0].lineno <= line <= (t.body[-1].end_lineno or 0)
        and any(_catches(h.type, name) and (not by_name or _names(h.type, name)) for h in t.handlers)
        for t in ast_walk.walk(function)
    )


def _names(caught: ast.expr | None, name: str) -> bool:
    return caught is not None and any(isinstance(n, ast.Name) and n.id == name for n in ast_walk.walk(caught))


def _catches(caught: ast.expr | None, name: str) -> bool:
    if caught is None:
        return True
    named = {n.id for n in ast_walk.walk(caught) if isinstance(n, ast.Name)}
    wanted = getattr(builtins, name)
    classes = (getattr(builtins, n, None) for n in named)
    return any(isinstance(c, type) and issubclass(wanted, c) for c in classes)


def raised(states: list[dict[str, Value]]) -> Value:
    """Return the exceptions that the ``raise`` statements in the body of a ``try`` raise."""
    found = [state.get(RAISED, UNKNOWN) for state in states]
    return join_all(ExternalObject(v.name) if isinstance(v, ExternalName) else v for v in found) if found else UNKNOWN


def caught(interp: Interpreter, error: Value, handler: ast.ExceptHandler, frame: Frame) -> Value:
    """Return the value that a handler binds: a builtin exception if only that can be raised."""
    if handler.type is None or not isinstance(error, ExternalObject):
        return UNKNOWN
    return error if _matches(error, interp.eval(handler.type, frame)) else UNKNOWN


def check_expected(interp: Interpreter, error: Value, handlers: list[ast.ExceptHandler], frame: Frame) -> None:
    """Report ``except "ValueError"`` and ``except (A, (B, C))``, which Python evaluates only after an exception."""
    for handler in handlers:
        if handler.type is None or not isinstance(error, (ExternalObject, Instance)):
            return
        expected = interp.eval(handler.type, frame)
        if _is_no_class(expected) and not (isinstance(expected, Seq) and expected.cls == "tuple"):
            interp.emit(frame, handler.type, "exception", "expected", ("exception-with-bad-expected-type",))
            return
        for item in expected.items or () if isinstance(expected, Seq) else ():
            if _is_no_class(item):
                interp.emit(frame, handler.type, "exception", "expected", ("exception-with-non-type-expectation",))
                return
            if _matches(error, item) is not False:
                return
        if _matches(error, expected) is not False:
            return


def _is_no_class(value: Value) -> bool:
    return isinstance(value, (Seq, Const, Scalar)) or (isinstance(value, ExternalObject) and is_exception(value.cls))


def _matches(error: Value, expected: Value) -> bool | None:
    """Return whether a handler for ``expected`` catches ``error``; None if it is unknown."""
    if isinstance(expected, Seq):
        answers = [_matches(error, item) for item in expected.items or ()]
        return True if True in answers else None if None in answers or expected.items is None else False
    if isinstance(error, Instance) and isinstance(error.cls, Class):
        if isinstance(expected, Class):
            return expected in error.cls.mro if error.cls.complete else None
        named = [_builtin(name) for name in error.cls.externals]
    else:
        named = [_builtin(error.cls)] if isinstance(error, ExternalObject) else []
        if isinstance(expected, Class) and is_exception_class(expected):
            return False
    wanted = _builtin(expected.name) if isinstance(expected, ExternalName) else None
    if wanted is None or not named:
        return None
    return any(cls is not None and issubclass(cls, wanted) for cls in named)


def _builtin(name: str) -> type | None:
    found = getattr(builtins, name.removeprefix("builtins."), None)
    return found if isinstance(found, type) else None


def is_instance(error: str, name: str) -> bool | None:
    """Return ``isinstance`` of a builtin exception, by the names of the classes."""
    cls, wanted = _builtin(error), _builtin(name)
    return None if cls is None else wanted is not None and issubclass(cls, wanted)
