"""Named tuples made by ``collections.namedtuple("Point", "x y")``."""

from __future__ import annotations

import ast

from gblint.interp.domain.tensor_text import shows_tensor
from gblint.interp.state.call_context import CallContext
from gblint.values.base import UNKNOWN, Const, Tensor, Value
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, Instance

METHODS = ("_replace", "_asdict")
_ANY = ast.Constant(...)


def namedtuple(ctx: CallContext) -> Value:
    """Return a class like ``class Point(typing.NamedTuple)``, with fields of any type."""
    cached = ctx.interp.caches.classes.get(id(ctx.node))
    if cached is not None:
        return cached
    if ctx.frame.mode.tracing and any(_is_tensor(v) for v in ctx.args.all()):
        ctx.emit("operation", "namedtuple", ("namedtuple-construction",))
    typename, names = (
        ctx.args.get(0, "typename"),
        _field_names(ctx, ctx.args.get(1, "field_names")),
    )
    if names is None or not isinstance(typename, Const) or not str(typename.value).isidentifier():
        return UNKNOWN
    defaults = ctx.items_of(ctx.args.kw["defaults"]) if "defaults" in ctx.args.kw else ()
    body: list[ast.stmt] = [_field(name, ctx.node) for name in names]
    # Parsed, since the fields of the node differ between versions of Python.
    definition = ast.parse("class _: ...").body[0]
    assert isinstance(definition, ast.ClassDef)
    definition.name, definition.body = str(typename.value), body
    ast.copy_location(definition, ctx.node)
    cls = Class(definition, ctx.frame.module, str(typename.value), None)
    cls.externals = ("typing.NamedTuple", "builtins.tuple")
    for name, default in zip(reversed(names), reversed(defaults or ())):
        cls.attrs[name] = default
    ctx.interp.caches.classes[id(ctx.node)] = cls
    ctx.interp.caches.keep_alive.append(ctx.node)
    return cls


def call_method(ctx: CallContext, record: Instance, name: str) -> Value:
    """Call a method that every named tuple has."""
    if name == "_asdict":
        return Mapping(tuple((Const(key), value) for key, value in record.attrs.items() if not key.startswith("_")))
    if name != "_replace" or ctx.args.kwstar is not None:
        return UNKNOWN
    copy = Instance(record.cls, {**record.attrs, **ctx.args.kw}, record.from_defaults, ctx.interp.branch_id)
    copy.partial, copy.pre_existing = record.partial, not ctx.frame.mode.tracing
    return copy


def _is_tensor(value: Value) -> bool:
    parts = value.items or () if isinstance(value, Seq) else (value,)
    return any(isinstance(v, Tensor) or shows_tensor(v) for v in parts)


def _field(name: str, node: ast.AST) -> ast.stmt:
    target = ast.Name(id=name, ctx=ast.Store())
    return ast.copy_location(ast.AnnAssign(target=target, annotation=_ANY, value=None, simple=1), node)


def _field_names(ctx: CallContext, given: Value | None) -> list[str] | None:
    """Return the field names from a string or from a sequence of strings or pairs."""
    if isinstance(given, Const) and isinstance(given.value, str):
        return given.value.replace(",", " ").split()
    items = None if given is None else ctx.items_of(given)
    if items is None or isinstance(given, Mapping):
        return None
    out: list[str] = []
    for item in items:
        first = item.items[0] if isinstance(item, Seq) and item.items else item
        if not isinstance(first, Const) or not isinstance(first.value, str):
            return None
        out.append(first.value)
    return out
