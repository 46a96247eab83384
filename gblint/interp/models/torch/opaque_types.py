"""Classes registered with ``register_opaque_type``: Dynamo knows only what the registration declares.

See torch/_library/opaque_object.py, and torch/_dynamo/variables/script_object.py for the refused operations.
"""

from __future__ import annotations

import ast

from gblint.diagnostics.break_event import Category
from gblint.interp.state.events import Emission
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Const, Value
from gblint.values.containers import Mapping
from gblint.values.objects import Class, ExternalName, Instance

_REAL = "USE_REAL"


def members_of(interp: Interpreter, cls: Class) -> dict[str, str] | None:
    """Return the members of a class of opaque references, with the handling of each; None for any other class."""
    if not cls.inherits("torch._opaque_base.OpaqueBase"):
        return None
    frame = interp.module_frame(cls.module)
    for node in cls.module.tree.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not call.args or interp.eval(call.args[0], frame) is not cls:
            continue
        named = {k.arg: interp.eval(k.value, frame) for k in call.keywords if k.arg}
        if named.get("typ") != Const("reference"):
            return None
        given = named.get("members")
        entries = given.entries if isinstance(given, Mapping) else ()
        return {
            str(k.value): v.name.rpartition(".")[2] if isinstance(v, ExternalName) else ""
            for k, v in entries
            if isinstance(k, Const)
        }
    return None


def read(interp: Interpreter, base: Instance, name: str, frame: Frame, node: ast.AST) -> None:
    """Check ``obj.name``, or ``obj.name = value`` under the name ``__setattr__``."""
    if not frame.mode.tracing or not base.pre_existing or not isinstance(base.cls, Class):
        return
    known = members_of(interp, base.cls)
    if known is None:
        return
    if name not in known:
        _refuse(interp, frame, node, "member", "opaque-object-unregistered-member")
    elif known[name] == _REAL and _has_getattr(base.cls):
        _refuse(interp, frame, node, "getattr", "opaque-object-with-custom-getattr")


def _has_getattr(cls: Class) -> bool:
    return any("__getattr__" in c.attrs or _defines(c, "__getattr__") for c in cls.mro)


def _defines(cls: Class, name: str) -> bool:
    return any(isinstance(n, ast.FunctionDef) and n.name == name for n in cls.node.body)


def called(interp: Interpreter, base: Value, name: str, result: Value, frame: Frame, node: ast.AST) -> None:
    """Report a method that runs while tracing and returns another opaque object."""
    if (
        not frame.mode.tracing
        or not isinstance(base, Instance)
        or not isinstance(base.cls, Class)
        or not base.pre_existing
    ):
        return
    known = members_of(interp, base.cls)
    if known is None or known.get(name) != _REAL:
        return
    if isinstance(result, Instance) and isinstance(result.cls, Class) and members_of(interp, result.cls) is not None:
        _refuse(interp, frame, node, "result", "opaque-object-reference-result")


def read_class(interp: Interpreter, cls: Class, name: str, found: Value | None, frame: Frame, node: ast.AST) -> None:
    """Check ``Class.name``, which Dynamo looks up in the class itself."""
    if not frame.mode.tracing or name.startswith("__") or members_of(interp, cls) is None:
        return
    if found is None and cls.complete:
        category = Category.GRAPH_BREAK if "try" in frame.context else Category.COMPILE_ERROR
        interp.emit_event(
            frame,
            node,
            Emission("opaque-object", "class-attribute", ("opaque-class-attribute-not-found",), category=category),
        )
    elif isinstance(found, Instance) and isinstance(found.cls, Class) and _defines(found.cls, "__get__"):
        interp.emit(frame, node, "opaque-object", "descriptor", ("opaque-class-descriptor",))


def _refuse(interp: Interpreter, frame: Frame, node: ast.AST, subject: str, cause: str) -> None:
    interp.emit_event(frame, node, Emission("opaque-object", subject, (cause,), category=Category.COMPILE_ERROR))
