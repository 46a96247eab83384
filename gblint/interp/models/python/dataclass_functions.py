"""``dataclasses.fields`` and ``is_dataclass``: code that reads configurations goes through the fields of a class."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import class_fields
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import BOOL, FALSE, UNKNOWN, Const, Value
from gblint.values.containers import Seq
from gblint.values.objects import Class, ExternalName, Instance

_FIELD: Final = "dataclasses.Field"


def fields(ctx: CallContext) -> Value:
    """``dataclasses.fields``, which Dynamo supports for an object only, not for a class."""
    given = ctx.args.first
    if isinstance(given, Class):
        ctx.emit("operation", "dataclass-fields", ("dataclass-fields-failure",))
    cls = given.cls if isinstance(given, Instance) else given
    if not isinstance(cls, Class) or not class_fields.is_dataclass(cls):
        return Seq("tuple", None, UNKNOWN)
    return Seq("tuple", tuple([_field(ctx.interp, *each[:2], each[3]) for each in class_fields.fields(cls)]))


def _field(interp: Interpreter, name: str, annotation: ast.expr, owner: Class) -> Instance:
    """Return a field; ``type`` is the source of the annotation if the module asks for that, else its value."""
    is_text = any(each.module == "__future__" for each in owner.module.symbols.get("annotations", ()))
    if isinstance(annotation, ast.Constant) or is_text:
        kind: Value = Const(annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation))
    else:
        kind = interp.eval(annotation, class_fields.body_frame(owner))
    return Instance(ExternalName(_FIELD), {"name": Const(name), "type": kind}, partial=True)


def is_dataclass(ctx: CallContext) -> Value:
    """``dataclasses.is_dataclass``."""
    given = ctx.args.first
    cls = given.cls if isinstance(given, Instance) else given
    if isinstance(cls, Class):
        return Const(class_fields.is_dataclass(cls))
    return FALSE if isinstance(given, (Const, ExternalName)) else BOOL


HANDLERS: dict[str, Handler] = {"dataclasses.fields": fields, "dataclasses.is_dataclass": is_dataclass}
