"""Classes without a ``class`` statement: ``type(name, (Base,), {"forward": forward})``."""

from __future__ import annotations

import ast

from gblint.interp.evaluator import class_bases
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Const, Value
from gblint.values.containers import Mapping, Seq
from gblint.values.keys import key
from gblint.values.objects import Class, ExternalName

_TYPE = ExternalName("builtins.type")


def by_type(interp: Interpreter, function: Value, args: Args, frame: Frame, node: ast.Call) -> Class | None:
    """Return the class that ``type(name, bases, namespace)`` makes; None for any other call.

    Each call with another name, other bases or another namespace makes another class.
    """
    if function != _TYPE or len(args.pos) != 3:
        return None
    name, bases, namespace = args.pos
    if not isinstance(bases, Seq) or bases.items is None or not isinstance(namespace, Mapping):
        return None
    place = hash((id(node), *map(key, args.pos)))
    cls = interp.caches.classes.get(place)
    if cls is None:
        text = str(name.value) if isinstance(name, Const) else ast.unparse(node.args[0])
        statement = _statement(text, node)
        cls = interp.caches.classes[place] = Class(statement, frame.module, text, None)
        class_bases.inherit(cls, bases.items)
        cls.complete = cls.complete and namespace.rest is None
        cls.attrs.update((str(k.value), value) for k, value in namespace.entries if isinstance(k, Const))
    return cls


def _statement(name: str, node: ast.Call) -> ast.ClassDef:
    """Return a ``class`` statement without bases and body, in the place of a call."""
    statement = ast.parse("class made: ...").body[0]
    assert isinstance(statement, ast.ClassDef)
    statement.name, statement.body = name, []
    return ast.copy_location(statement, node)
