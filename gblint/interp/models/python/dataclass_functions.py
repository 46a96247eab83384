"""Functions of ``dataclasses``: code that reads configurations goes through the fields of a class, or copies one."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import class_fields, reach
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import BOOL, FALSE, UNKNOWN, Const, Union, Value, members, scalar_of
from gblint.values.containers import Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, ExternalName, Function, Instance

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


def replaced(ctx: CallContext) -> Value:
    """``dataclasses.replace``: a copy with other values in some fields, with unknown ``**changes`` perhaps in any."""
    given = ctx.args.first
    copies = {each: _copied(ctx, each) if isinstance(each, Instance) else each for each in members(given)}
    usual = given.usual if isinstance(given, Union) else None
    joined = join_all(copies.values())
    return joined if usual is None else reach.expected(joined, copies.get(usual))


def _copied(ctx: CallContext, source: Instance) -> Instance:
    copy = Instance(source.cls, dict(source.attrs), source.from_defaults, ctx.interp.branch_id)
    copy.attrs.update(ctx.args.kw)
    if ctx.args.kwstar == UNKNOWN and not ctx.frame.mode.tracing:
        # A name or a flag chooses what is made; numbers stay what they mostly are.
        for name, value in source.attrs.items():
            if isinstance(value, Const) and isinstance(value.value, (bool, str)) and name not in ctx.args.kw:
                copy.attrs[name] = reach.expected(scalar_of(value.value), value)
    post = ctx.interp.class_attribute(copy.cls, "__post_init__") if isinstance(copy.cls, Class) else None
    if isinstance(post, Function) and len(post.node.args.args) == 1:
        ctx.call(post, Args((copy,)))
    return copy


HANDLERS: dict[str, Handler] = {
    "dataclasses.fields": fields,
    "dataclasses.is_dataclass": is_dataclass,
    "dataclasses.replace": replaced,
}
